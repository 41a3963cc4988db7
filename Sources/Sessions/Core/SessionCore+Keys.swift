// An action that is to happen once: whether it has happened, and whether there is room to remember it.

extension SessionCore {
    /// What an action came to, to be remembered from now on.
    func outcome(of request: IdempotentRequest, _ result: IdempotentRequest.Result) -> RememberedOutcome {
        request.outcome(result, until: time.advanced(by: limits.idempotencyWindow(of: id)))
    }

    /// Looks whether a request came before: among the steps under way, and then in the store.
    ///
    /// What cannot be looked up, or not be remembered, is not begun.
    /// Whoever has the turn looks, so that nothing is submitted between the look and the action; and after the session was
    /// read, so that the commit conflicts where another replica does the same.
    ///
    /// - Returns: whether it never came and may be begun; else it goes another way.
    mutating func isNew(_ request: IdempotentRequest, _ ask: Ask) -> Bool {
        if let index = steps.lastIndex(where: { $0.commit.outcome?.key == request.key }),
            let outcome = steps[index].commit.outcome
        {
            // Where the first is not stored after all, the key is free.
            answer(ask, .performed(Self.replay(outcome, to: request)), afterStepAt: index)
            return false
        }
        if ask.isLookedUp || keys == 0 && !isFull { return hasRoom(for: ask) }
        turn = .lookingUp(ask)
        orders.append(.lookUp(request.key))
        return false
    }

    /// The store has said what became of an action that came before under the same key; nil for none.
    mutating func lookedUp(_ result: Result<RememberedOutcome?, StoreFailure>) {
        guard case .lookingUp(var ask) = turn, case .act(let action) = ask.kind else { return }
        turn = .free
        switch result {
        case .failure: answer(ask, .failure(SessionFailure.unavailable))
        case .success(let outcome?):
            guard let request = action.request else { break }
            // Another replica made it: whoever is told of it is not to be shown less afterwards.
            let cursor = Cursor(outcome.entityTag.filter { $0 != "\"" })
            if let cursor, cursor.seq > feed.head.seq { isBehind = true }
            answer(ask, .performed(Self.replay(outcome, to: request)))
        case .success(nil):
            ask.isLookedUp = true
            begin(ask)
        }
        goOn()
    }

    private static func replay(
        _ outcome: RememberedOutcome, to request: IdempotentRequest
    ) -> Result<Performed, any Error> {
        request.isOf(outcome)
            ? .success(.remembered(outcome, isReplay: true)) : .failure(SessionFailure.keyOfAnotherRequest)
    }

    /// Whether there is no room for another key, with those that are on their way.
    var isFull: Bool { keys + steps.count { $0.commit.outcome != nil } >= limits.keysPerSession }

    /// Refuses what there is no room for.
    ///
    /// Where the session has as many keys as it may, they are counted anew, since some may have ended: at most once a second,
    /// so that whoever is refused again and again does not keep the store busy.
    mutating func hasRoom(for ask: Ask) -> Bool {
        guard isFull else { return true }
        if keysCounted == time {
            // By then a sixtieth is free, where they came evenly.
            let seconds = max(1, Int(limits.idempotencyWindow(of: id).components.seconds / 60))
            answer(ask, .failure(SessionFailure.tooManyKeys(retryAfter: seconds)))
        } else {
            keysCounted = time
            var ask = ask
            ask.countsKeys = true
            settle(for: ask)
        }
        return false
    }
}
