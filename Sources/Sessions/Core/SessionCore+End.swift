import ViewModels

// How it ends, or leaves memory.

extension SessionCore {
    /// The store has deleted the session, or not.
    mutating func deleted(_ failure: StoreFailure?) {
        guard case .ending(let ask) = turn else { return }
        turn = .free
        switch failure {
        case nil:
            markEnded()
            answer(ask, .success(()))
        case .conflict:
            // Another replica moved it on: the end comes after that.
            isBehind = true
            again(ask)
        default: answer(ask, .failure(SessionFailure.unavailable))
        }
        goOn()
    }

    /// The store has the session no more; whoever waits for a change is told.
    mutating func markEnded() {
        guard phase != .ended else { return }
        leave(as: .ended)
        orders.append(.tellPolls(polls.removeAll(telling: .ended)))
    }

    /// Leaves memory, if nobody has used the session for so long.
    ///
    /// - Returns: whether it did.
    mutating func putAway(ifIdleFor time: Duration, at now: Duration) -> Bool {
        guard phase == .live, case .free = turn, idleTime(at: now) >= time else { return false }
        leave(as: .putAway)
        return true
    }

    mutating func leave(as phase: Phase) {
        self.phase = phase
        // One that acts this moment is thrown away when it is done.
        if case .onStage = turn { return }
        orders.append(.clear(revivingFrom: nil))
    }
}
