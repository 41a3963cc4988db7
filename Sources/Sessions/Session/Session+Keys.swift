// What a session does for an action that is to happen once: it looks whether it has happened, and for room to remember it.

extension Session {
    /// What an action came to, to be remembered from now on.
    func outcome(of request: IdempotentRequest, _ result: IdempotentRequest.Result) -> RememberedOutcome {
        request.outcome(result, until: surroundings.endOfOutcome(in: id))
    }

    /// What is known of a request whose first is on its way to the store.
    ///
    /// - Returns: what that will be answered when it arrives; ``SessionFailure/keyOfAnotherRequest`` where it was another; nil
    ///   where none is on its way. Where the first is not stored after all, the key is free.
    func outcomeUnderWay(of request: IdempotentRequest) -> Attempt? {
        let flight = state.withLock { state in state.flights.last { $0.draft.commit.outcome?.key == request.key } }
        guard let flight, let outcome = flight.draft.commit.outcome else { return nil }
        return Attempt(Self.replay(outcome, to: request), after: flight.settlement)
    }

    /// Whether the store has to be asked before an action with a key is begun: what it has, or whether there is room.
    func needsLookUp() -> Bool {
        state.withLock { $0.keys > 0 || $0.isFull(surroundings.limits.keysPerSession) }
    }

    /// What is known of a request that came before, by what is on its way and then by what is stored; where it never came,
    /// there is room to remember it.
    ///
    /// Asked by whoever has the turn, so that nothing is submitted between the two looks and the action; and after the
    /// session was read, so that the commit conflicts where another replica does the same.
    ///
    /// - Throws: ``SessionFailure/tooManyKeys(retryAfter:)``; ``SessionFailure/unavailable`` where the store does not answer:
    ///   what cannot be looked up is not begun.
    func knownOutcome(of request: IdempotentRequest, on stage: Stage) async throws -> Attempt? {
        if let attempt = outcomeUnderWay(of: request) { return attempt }
        guard needsLookUp() else { return nil }
        do {
            if let outcome = try await surroundings.store.outcome(of: request.key, in: id) {
                state.withLock { $0.note(outcome) }
                return Attempt(Self.replay(outcome, to: request), after: nil)
            }
        } catch {
            throw SessionFailure.unavailable
        }
        try await makeRoom(on: stage)
        return nil
    }

    private static func replay(
        _ outcome: RememberedOutcome, to request: IdempotentRequest
    ) -> Result<Performed, any Error> {
        request.isOf(outcome)
            ? .success(.remembered(outcome, isReplay: true)) : .failure(SessionFailure.keyOfAnotherRequest)
    }

    /// Refuses what there is no room for.
    ///
    /// Where the session has as many keys as it may, they are counted anew, since some may have ended: at most once a second,
    /// so that whoever is refused again and again does not keep the store busy.
    private func makeRoom(on stage: Stage) async throws {
        let limits = surroundings.limits
        let now = surroundings.timer.now
        let (isFull, isCounted) = state.withLock { state in
            (state.isFull(limits.keysPerSession), state.keysCounted.map { now - $0 < .seconds(1) } ?? false)
        }
        guard isFull else { return }
        if !isCounted {
            try await freshen(stage, evenIfCurrent: true)
            let isFull = state.withLock { state in
                state.keysCounted = now
                return state.isFull(limits.keysPerSession)
            }
            if !isFull { return }
        }
        // By then a sixtieth is free, where they came evenly.
        throw SessionFailure.tooManyKeys(
            retryAfter: max(1, Int(limits.idempotencyWindow(of: id).components.seconds / 60)))
    }
}

extension Session.State {
    /// Looks whether a stored outcome is ahead of what is shown, as where another replica made it: whoever is told of it is
    /// not to be shown less afterwards.
    fileprivate mutating func note(_ outcome: RememberedOutcome) {
        guard let cursor = Cursor(outcome.entityTag.filter { $0 != "\"" }), cursor.seq > feed.head.seq else { return }
        isBehind = true
    }

    /// Whether there is no room for another key, with those that are on their way.
    func isFull(_ limit: Int) -> Bool {
        keys + flights.count { $0.draft.commit.outcome != nil } >= limit
    }
}
