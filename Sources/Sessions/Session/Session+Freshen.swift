import ViewModels

extension Session {
    /// Reads the session again where its published state may be behind the store's.
    ///
    /// - Parameter evenIfCurrent: whether to look also where nothing says that it may be.
    /// - Throws: ``SessionFailure/ended``, ``SessionFailure/putAway``, ``SessionFailure/unavailable``.
    func freshen(_ stage: Stage, evenIfCurrent: Bool = false) async throws {
        let isFresh = try isFresh(stage)
        guard !isFresh || evenIfCurrent else { return }
        // What is on its way may still be stored, or not: only then is there something to be read.
        await settleFlights()
        stage.ahead = nil
        stage.latest = nil
        let record: SessionRecord?
        do { record = try await surroundings.store.load(id) } catch { throw SessionFailure.unavailable }
        guard let record else {
            stage.clear()
            markEnded()
            throw SessionFailure.ended
        }
        take(record, on: stage)
        stage.revive(from: latestFeed(on: stage))
    }

    /// Whether the session need not be read again.
    ///
    /// - Throws: ``SessionFailure/ended``, ``SessionFailure/putAway``.
    func isFresh(_ stage: Stage) throws -> Bool {
        let (isBehind, isSettled) = try state.withLock { state in
            try state.check()
            return (state.isBehind, state.flights.isEmpty)
        }
        if isSettled {
            stage.ahead = nil
            if !isBehind { stage.latest = nil }
        }
        return !isBehind
    }

    /// Shows what was read.
    private func take(_ record: SessionRecord, on stage: Stage) {
        var record = record
        let known = state.withLock { $0.feed.head }
        record.head = record.head.read(after: known)
        guard record.head.version != known.version else {
            let wasBehind = state.withLock { state in
                defer { state.isBehind = false }
                state.keys = record.keys
                return state.isBehind
            }
            // The live view models stand on what was not stored.
            if wasBehind { stage.clear() }
            return
        }
        // The live view models stand on what was committed before.
        stage.clear()
        let feed = freshFeed(record, on: stage)
        let told = state.withLock { state in
            state.isBehind = false
            state.keys = record.keys
            state.storedEnd = record.end
            return state.publish { $0 = feed }
        }
        tell(told)
    }

    /// The feed of a record, with what was shown before and is in no record because nobody has acted on it yet: who
    /// reads the session between two turns finds every view model that was made for him.
    private func freshFeed(_ record: SessionRecord, on stage: Stage) -> ChangeFeed {
        let known = state.withLock { $0.feed }
        var feed = ChangeFeed(catalogue: known.catalogue, record: record)
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            guard let stored = feed.record(at: place) else { continue }
            let isKnown = known.view(at: place)?.record.model == stored.model
            do throws(ModelUnreadable) {
                if !isKnown { _ = try declaration.read(stored.model, storedBy: stored.version) }
            } catch {
                feed.refuse(place, because: error)
            }
        }
        for place in feed.catalogue.viewModels.indices where feed.view(at: place) == nil {
            if let stored = feed.record(at: place) {
                if feed.refusal(at: place) != nil { continue }
                complete(stored, at: place, in: &feed, on: stage)
                continue
            }
            // In another incarnation of the session even those that were never shown: its polls get a snapshot.
            let view =
                known.head.history.cursor(at: 0) == record.head.history.cursor(at: 0)
                ? known.view(at: place) : try? initialView(at: place, history: record.head.history, on: stage)
            if let view { feed.show(view, at: place) }
        }
        return feed
    }

    /// Shows what another build stored without an output of this one: the output belongs to the commit that was read.
    private func complete(_ stored: ViewModelRecord, at place: Int, in feed: inout ChangeFeed, on stage: Stage) {
        do {
            feed.show(try completedView(of: stored, at: place, in: feed, on: stage), at: place)
        } catch SessionFailure.unreadable(let error) {
            feed.refuse(place, because: error)
        } catch {
            // What cannot be encoded is held back, and fails whoever asks for it.
        }
    }
}
