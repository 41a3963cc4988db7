import ViewModels

extension Session {
    /// Runs an action, commits what it changed, and only then shows it.
    ///
    /// While the store writes, the next action runs already, on what this one left; it is stored after this one or not
    /// at all. Where another replica moved the session on meanwhile, the session is read again and the action is run
    /// again on the newer state.
    ///
    /// - Parameters:
    ///   - action: the place of the action in its view model's declaration.
    ///   - place: the place of the view model in the catalogue.
    ///   - body: JSON text; empty where none was sent.
    ///   - isWanted: given the view model's entity tag, whether the action may run.
    /// - Returns: what the view model shows now, once that is stored.
    /// - Throws: ``SessionFailure``; `CancellationError` where the caller went away before its turn came; what the action
    ///   threw, of which nothing is stored.
    public func perform(
        _ action: Int, of place: Int, body: [UInt8] = [], where isWanted: (String) -> Bool = { _ in true }
    ) async throws -> View {
        switch try await perform(action, of: place, body: body, once: nil, where: isWanted) {
        case .done(let view): view
        // Only what has a key is remembered.
        case .remembered: throw SessionFailure.unavailable
        }
    }

    /// The same for an action that is to happen once, however often it is asked for.
    ///
    /// - Parameter request: what makes it the same request; nil for one that may happen again.
    /// - Returns: what became of it, once that is stored.
    /// - Throws: as the above; ``SessionFailure/keyOfAnotherRequest``; ``SessionFailure/tooManyKeys(retryAfter:)``.
    public func perform(
        _ action: Int, of place: Int, body: [UInt8] = [], once request: IdempotentRequest?,
        where isWanted: (String) -> Bool = { _ in true }
    ) async throws -> Performed {
        try takeActionToken()
        guard turnstile.waiting < surroundings.limits.waitingActions else { throw SessionFailure.lineFull }
        var hasBegun = false
        for _ in 0...surroundings.limits.replays {
            let attempt = try await turnstile.withTurn { stage in
                // Whoever hangs up in the line has not begun anything; what was begun is run to its end.
                if !hasBegun { try Task.checkCancellation() }
                try await freshen(stage)
                if let request, let known = try await knownOutcome(of: request, on: stage) { return known }
                let view = try makeView(at: place, on: stage)
                if let unwanted = unwanted(view, on: stage, where: isWanted) { return unwanted }
                let viewModel = try viewModel(at: place, from: view.record, on: stage)
                hasBegun = true
                do {
                    try await run(action, of: place, on: viewModel, body: body)
                } catch SessionFailure.busy {
                    // It did not begin.
                    throw SessionFailure.busy
                } catch {
                    return try refusal(error, once: request, on: stage, showing: view)
                }
                return try success(of: place, once: request, on: stage, showing: view)
            }
            switch await attempt.settlement?.outcome() {
            case nil: return try attempt.result.get()
            case .conflict, .gone: continue
            case .notSent, .unknown, .unreadable: throw SessionFailure.unavailable
            }
        }
        throw SessionFailure.unavailable
    }

    /// The same at once and without a task, for an action that is known to be fast and whose turn has come.
    ///
    /// - Returns: the action as it was submitted; nil where it would have to wait for something: nothing has happened then.
    /// - Throws: ``SessionFailure``, where nothing was submitted.
    public func performAtHand(
        _ action: Int, of place: Int, body: [UInt8], once request: IdempotentRequest?,
        where isWanted: @escaping @Sendable (String) -> Bool
    ) throws -> SubmittedAction? {
        guard isFast(action, of: place) else { return nil }
        let attempt: Attempt? = try turnstile.withTurnAtHand { stage in
            guard try isFresh(stage) else { return nil }
            let known = request.flatMap { outcomeUnderWay(of: $0) }
            // To look the key up in the store takes waiting.
            if request != nil, known == nil, needsLookUp() { return nil }
            try takeActionToken()
            if let known { return known }
            let view = try makeView(at: place, on: stage)
            if let unwanted = unwanted(view, on: stage, where: isWanted) { return unwanted }
            let viewModel = try viewModel(at: place, from: view.record, on: stage)
            do {
                try runHere(action, of: place, on: viewModel, body: body)
            } catch {
                return try refusal(error, once: request, on: stage, showing: view)
            }
            return try success(of: place, once: request, on: stage, showing: view)
        }
        guard let attempt else { return nil }
        guard let settlement = attempt.settlement, !settlement.isStored else { return .settled(attempt.result) }
        return .underWay(
            ActionUnderWay(settlement: settlement, result: attempt.result) { [self] in
                try await perform(action, of: place, body: body, once: request, where: isWanted)
            })
    }

    /// Runs a change that comes from inside a view model, commits what it changed, and only then shows it.
    ///
    /// - Throws: `CancellationError` where the view model is not on the stage, or someone else moved the session on: it
    ///   is made anew from what is stored then, and begins to change itself anew. ``SessionFailure``.
    func change(
        _ viewModel: ObjectIdentifier, of mark: Stage.Mark, _ body: @escaping @Sendable () -> Void
    ) async throws {
        let settlement: Settlement? = try await turnstile.withTurn { stage in
            // Before the store is asked: one that was thrown away has nothing to wait for.
            guard stage.place(of: viewModel, marked: mark) != nil else { throw CancellationError() }
            try await freshen(stage)
            guard let place = stage.place(of: viewModel, marked: mark) else { throw CancellationError() }
            _ = try makeView(at: place, on: stage)
            body()
            return try draft(on: stage, actedOn: place).map { submit($0, on: stage) }
        }
        switch await settlement?.outcome() {
        case nil: break
        case .conflict, .gone: throw CancellationError()
        case .notSent, .unknown, .unreadable: throw SessionFailure.unavailable
        }
    }

    func takeActionToken() throws {
        guard let rate = surroundings.limits.actionsPerSecond else { return }
        let now = surroundings.timer.now
        if let seconds = state.withLock({ $0.actionLimit.take(at: now, perSecond: rate) }) {
            throw SessionFailure.tooManyActions(retryAfter: seconds)
        }
    }

    /// What is to be said where the view model is not as the caller wants it; nil where the action may run.
    private func unwanted(_ view: View, on stage: Stage, where isWanted: (String) -> Bool) -> Attempt? {
        isWanted(view.entityTag) ? nil : Attempt(.failure(SessionFailure.preconditionFailed), after: stage.latest)
    }

    /// What is to be said of an action that threw, once that is remembered under its key.
    private func refusal(
        _ error: any Error, once request: IdempotentRequest?, on stage: Stage, showing view: View
    ) throws -> Attempt {
        // Whatever the action did before it gave up is not to be seen, by nobody and never.
        if case SessionFailure.timedOut = error {
            // It may run on, and post to the others: none of them stays where it can reach him.
            stage.clear()
            stage.revive(from: latestFeed(on: stage))
        } else {
            stage.rollBack(to: latestFeed(on: stage))
        }
        if let refusal = error as? ActionRefusal {
            // A body that cannot be read is the caller's to mend, under the same key if he likes.
            guard let request, refusal.code == .disabled else {
                return Attempt(.failure(SessionFailure.refused(refusal, view: view)), after: stage.latest)
            }
            return remember(.disabled(detail: refusal.detail, view), of: request, on: stage)
        }
        guard let request else { throw error }
        return Attempt(.failure(error), after: remember(.failed(error), of: request, on: stage).settlement)
    }

    /// What is to be said of an action that was done, once what it changed is stored.
    private func success(
        of place: Int, once request: IdempotentRequest?, on stage: Stage, showing view: View
    ) throws -> Attempt {
        if let draft = try draft(on: stage, actedOn: place, once: request) {
            let shown = draft.views.first { $0.place == place }?.view ?? view
            let outcome = draft.commit.outcome.map { Performed.remembered($0, isReplay: false) }
            return Attempt(.success(outcome ?? .done(shown)), after: submit(draft, on: stage))
        }
        guard let request else { return Attempt(.success(.done(view)), after: stage.latest) }
        return remember(.done(view), of: request, on: stage)
    }

    /// Stores an outcome that changes nothing else.
    private func remember(
        _ result: IdempotentRequest.Result, of request: IdempotentRequest, on stage: Stage
    ) -> Attempt {
        let outcome = outcome(of: request, result)
        let feed = latestFeed(on: stage)
        let draft = Draft(commit: commit(from: feed, to: feed.head.remembering(), outcome: outcome), views: [])
        return Attempt(.success(.remembered(outcome, isReplay: false)), after: submit(draft, on: stage))
    }
}
