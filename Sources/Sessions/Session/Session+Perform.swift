import ViewModels

extension Session {
    /// Runs an action, commits what it changed, and only then shows it.
    ///
    /// Where another replica moved the session on meanwhile, the session is read again and the action is run again
    /// on the newer state.
    ///
    /// - Parameters:
    ///   - action: the place of the action in its view model's declaration.
    ///   - place: the place of the view model in the catalogue.
    ///   - body: JSON text; empty where none was sent.
    ///   - isWanted: given the view model's entity tag, whether the action may run.
    /// - Returns: what the view model shows now.
    /// - Throws: ``SessionFailure``; `CancellationError` where the caller went away before its turn came.
    public func perform(
        _ action: Int, of place: Int, body: [UInt8] = [], where isWanted: (String) -> Bool = { _ in true }
    ) async throws -> View {
        try takeActionToken()
        return try await turnstile.withTurn { stage in
            // Before the turn is passed on: the next may be the one that ends a session nobody uses.
            defer { use() }
            try Task.checkCancellation()
            for _ in 0...surroundings.limits.replays {
                try await freshen(stage)
                let view = try makeView(at: place, on: stage)
                guard isWanted(view.entityTag) else { throw SessionFailure.preconditionFailed }
                try await run(action, of: place, body: body, on: stage, showing: view)
                guard let draft = try draft(on: stage, actedOn: place) else { return view }
                if try await commit(draft, on: stage) {
                    return draft.views.first { $0.place == place }?.view ?? view
                }
            }
            throw SessionFailure.unavailable
        }
    }

    /// Runs a change that comes from inside a view model, commits what it changed, and only then shows it.
    ///
    /// - Throws: `CancellationError` where the view model is not on the stage, or someone else moved the session on: it
    ///   is made anew from what is stored then, and begins to change itself anew. ``SessionFailure``.
    func change(_ viewModel: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) async throws {
        try await turnstile.withTurn { stage in
            try await freshen(stage)
            guard let place = stage.place(of: viewModel) else { throw CancellationError() }
            _ = try makeView(at: place, on: stage)
            body()
            guard let draft = try draft(on: stage, actedOn: place) else { return }
            guard try await commit(draft, on: stage) else { throw CancellationError() }
        }
    }

    private func takeActionToken() throws {
        guard let rate = surroundings.limits.actionsPerSecond else { return }
        let now = surroundings.timer.now
        if let seconds = state.withLock({ $0.actionLimit.take(at: now, perSecond: rate) }) {
            throw SessionFailure.tooManyActions(retryAfter: seconds)
        }
    }

    private func run(_ action: Int, of place: Int, body: [UInt8], on stage: Stage, showing view: View) async throws {
        do {
            try await stage.viewModel(at: place, from: view.record.model).perform(action, body: body)
        } catch {
            // Whatever the action did before it gave up is not to be seen, by nobody and never.
            stage.clear()
            guard let refusal = error as? ActionRefusal else { throw error }
            throw SessionFailure.refused(refusal, view: view)
        }
    }

    /// Compares what the live view models show with what is committed.
    ///
    /// - Returns: nil where nothing changed.
    private func draft(on stage: Stage, actedOn place: Int) throws -> Draft? {
        do {
            let posted = stage.changedOutputs(actedOn: place)
            let feed = state.withLock { $0.feed }
            let cursor = Cursor(epoch: feed.cursor.epoch, seq: feed.cursor.seq + 1)
            var views: [(place: Int, view: View)] = []
            for touched in places(of: posted, and: place) {
                let view = try changedView(at: touched, posted: posted, on: stage, feed: feed, cursor: cursor)
                if let view { views.append((touched, view)) }
            }
            guard !views.isEmpty else { return nil }
            let commit = Commit(
                id: id, base: feed.cursor, cursor: cursor, language: language, viewModels: views.map(\.view.record))
            return Draft(commit: commit, views: views)
        } catch {
            stage.clear()
            throw error
        }
    }

    /// The view models an action may have changed: the one it was asked of, and whoever posted.
    private func places(of posted: [Stage.OutputPlace], and place: Int) -> [Int] {
        guard posted.contains(where: { $0.viewModel != place }) else { return [place] }
        return Set(posted.map(\.viewModel)).union([place]).sorted()
    }

    private func changedView(
        at place: Int, posted: [Stage.OutputPlace], on stage: Stage, feed: ChangeFeed, cursor: Cursor
    ) throws -> View? {
        guard let viewModel = stage.liveViewModel(at: place), let committed = feed.view(at: place) else { return nil }
        var record = committed.record
        var isChanged = false
        for output in posted where output.viewModel == place {
            let value = try viewModel.encodedOutput(at: output.output)
            guard value != record.outputs[output.output].value else { continue }
            record.outputs[output.output].value = value
            record.outputs[output.output].seq = cursor.seq
            isChanged = true
        }
        let model = try viewModel.encodedModel()
        guard isChanged || model != record.model else { return nil }
        record.model = model
        return View(feed.catalogue.viewModels[place], epoch: cursor.epoch, record: record)
    }

    /// Stores a draft and then publishes it.
    ///
    /// - Returns: false where someone else moved the session on first, and the action has to be run again.
    private func commit(_ draft: Draft, on stage: Stage) async throws -> Bool {
        do {
            try await surroundings.store.commit(draft.commit)
        } catch {
            stage.clear()
            state.withLock { $0.isBehind = true }
            guard error == .conflict else { throw SessionFailure.unavailable }
            return false
        }
        publish { feed in
            for (place, view) in draft.views { feed.show(view, at: place) }
            feed.advance(to: draft.commit.cursor)
        }
        return true
    }

    /// Reads the session again where its published state may be behind the store's.
    func freshen(_ stage: Stage, evenIfCurrent: Bool = false) async throws {
        let (hasEnded, isBehind) = state.withLock { ($0.hasEnded, $0.isBehind) }
        guard !hasEnded else { throw SessionFailure.ended }
        guard isBehind || evenIfCurrent else { return }
        let record: SessionRecord?
        do { record = try await surroundings.store.load(id) } catch { throw SessionFailure.unavailable }
        guard let record else {
            markEnded(stage)
            throw SessionFailure.ended
        }
        guard Cursor(epoch: record.epoch, seq: record.seq) != cursor else {
            state.withLock { $0.isBehind = false }
            return
        }
        // The live view models stand on what was committed before.
        stage.clear()
        let feed = freshFeed(record, on: stage)
        state.withLock { $0.isBehind = false }
        publish { $0 = feed }
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

    /// Changes what is shown, and answers whoever waited for it.
    private func publish(_ change: (inout ChangeFeed) -> Void) {
        var answers: [FeedQuery: FeedAnswer?] = [:]
        let polls = state.withLock { state in
            change(&state.feed)
            return state.polls.removeAll { query in
                if let known = answers[query] { return known != nil }
                let answer = state.feed.answer(to: query)
                answers[query] = .some(answer)
                return answer != nil
            }
        }
        answer(polls) { [answers] poll in
            // Only polls whose answer is not nil were taken out.
            answers[poll.query].flatMap { $0 }.map { .changed($0) } ?? .cancelled
        }
    }
}
