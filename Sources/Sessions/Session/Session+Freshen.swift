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
            markEnded(stage)
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
        guard record.cursor != cursor else {
            let wasBehind = state.withLock { state in
                defer { state.isBehind = false }
                state.outcomes = record.outcomes
                return state.isBehind
            }
            // The live view models stand on what was not stored.
            if wasBehind { stage.clear() }
            return
        }
        // The live view models stand on what was committed before.
        stage.clear()
        let feed = freshFeed(record, on: stage)
        let publication = state.withLock { state in
            state.isBehind = false
            state.outcomes = record.outcomes
            state.storedEnd = record.end
            return state.publish { $0 = feed }
        }
        answer(publication)
    }

    /// The feed of a record, with what was shown before and is in no record because nobody has acted on it yet: who
    /// reads the session between two turns finds every view model that was made for him.
    private func freshFeed(_ record: SessionRecord, on stage: Stage) -> ChangeFeed {
        let known = state.withLock { $0.feed }
        var feed = ChangeFeed(catalogue: known.catalogue, record: record)
        for place in feed.catalogue.viewModels.indices where feed.view(at: place) == nil {
            // In another incarnation of the session even those that were never shown: its polls get a snapshot.
            let view =
                known.cursor.epoch == record.epoch
                ? known.view(at: place) : try? initialView(at: place, epoch: record.epoch, on: stage)
            if let view { feed.show(view, at: place) }
        }
        return feed
    }

    /// Derives the outputs of what was stored anew, and commits what this build derives otherwise than the one that
    /// stored it: whoever waits with an old cursor is told.
    ///
    /// Done once, when the session was read; where it could not be stored, whoever asks next does it. A model that this
    /// build cannot read keeps showing what was stored.
    ///
    /// - Throws: ``SessionFailure``.
    func derive() async throws {
        if isDerived { return }
        for _ in 0...surroundings.limits.replays {
            let settlement: Settlement? = try await turnstile.withTurn { stage in
                try await freshen(stage)
                return deriveDraft(on: stage).map { submit($0, on: stage) }
            }
            switch await settlement?.outcome() {
            case nil: return state.withLock { $0.isDerived = true }
            case .conflict: continue
            case .unavailable: throw SessionFailure.unavailable
            }
        }
        throw SessionFailure.unavailable
    }

    private func deriveDraft(on stage: Stage) -> Draft? {
        let feed = latestFeed(on: stage)
        let cursor = Cursor(epoch: feed.cursor.epoch, seq: feed.cursor.seq + 1)
        var views: [(place: Int, view: View)] = []
        for (place, declaration) in feed.catalogue.viewModels.enumerated() {
            // One that cannot be made or shown keeps what was stored, and is no harm to the others.
            guard let stored = feed.view(at: place)?.record,
                let viewModel = try? stage.viewModel(at: place, from: stored.model),
                let record = try? derived(stored, by: viewModel, at: cursor.seq)
            else { continue }
            views.append((place, View(declaration, epoch: cursor.epoch, record: record)))
        }
        guard !views.isEmpty else { return nil }
        return Draft(
            commit: commit(from: feed.cursor, to: cursor, viewModels: views.map(\.view.record)), views: views)
    }

    /// What a view model shows now that was stored otherwise; nil where it shows the same.
    private func derived(
        _ stored: ViewModelRecord, by viewModel: any HostedViewModel, at seq: UInt64
    ) throws -> ViewModelRecord? {
        var record = stored
        for index in record.outputs.indices {
            let value = try viewModel.encodedOutput(at: index)
            guard value != record.outputs[index].value else { continue }
            record.outputs[index] = OutputRecord(name: record.outputs[index].name, value: value, seq: seq)
        }
        return record == stored ? nil : record
    }
}
