// The store's answers to commits and loads.

extension EntityCore {
    mutating func committed(_ number: UInt64, _ result: CommitResult) {
        // A commit that was dropped: the load that followed tells what the store has.
        guard let place = pending.firstIndex(where: { $0.number == number }) else { return }
        guard case .stored = result else { return fail(from: place, result) }
        acknowledge(through: place)
    }

    /// A commit is stored, and so is every commit that it builds on.
    private mutating func acknowledge(through place: Int) {
        let stored = pending[...place]
        pending = Array(pending[(place + 1)...])
        orders.reserveCapacity(2 * stored.count)
        for one in stored { publish(one.commit.state, posts: one.posts) }
        for one in stored { answer(one) }
        for id in stored.flatMap(\.effects) {
            // A later commit may have cancelled it.
            if let effect = committed.effects.first(where: { $0.id == id }) { orders.append(.perform(effect)) }
        }
    }

    /// Answers an ask whose commit is stored, and those that saw it.
    private mutating func answer(_ stored: Pending) {
        answer(stored.ask, stored.outcome)
        for (ask, outcome) in stored.seenBy { answer(ask, outcome ?? view) }
    }

    private mutating func publish(_ state: EntityState, posts: [Post]) {
        let known = committed
        committed = state
        let since = state.lineage == known.lineage ? known.head.seq : nil
        orders.append(.publish(Publication(state: state, since: since, posts: posts, isEnd: false)))
    }

    /// Drops all pending commits, since one of them failed, then reloads.
    ///
    /// The commits that build on the failed one are not stored either. Nothing is known of those before it, if the store
    /// answers out of order: the load tells.
    private mutating func fail(from place: Int, _ result: CommitResult) {
        lost = Array(pending[..<place])
        let fallen = pending[place...]
        pending = []
        reload()
        let queued = queue
        queue = []
        for one in fallen {
            switch result {
            case .stored, .conflict: again([one.ask] + one.seenBy.map(\.ask))
            case .refused:
                answer(one.ask, .unavailable(.storeAway))
                again(one.seenBy.map(\.ask))
            case .unknown: lost.append(one)
            }
        }
        queue += queued
    }

    /// Puts asks back that ran on an old state; a slow one only where it has not run.
    mutating func again(_ asks: [Ask], haveRun: Bool = true) {
        for ask in asks.map({ $0.again() }) {
            if ask.isView {
                // A look follows the load and answers this view.
                checks.append(Check(ask: ask, purpose: .view))
            } else if ask.attempts > limits.attempts || haveRun && ask.isSlow {
                answer(ask, .unavailable(.conflict))
            } else {
                queue.append(ask)
            }
        }
    }

    /// Reads the entity, since the store has moved on.
    ///
    /// The load answers the views. Results on the old state are void, and their asks run again. The turn of a synchronous
    /// action starts again, too; a slow action goes on.
    mutating func reload() {
        isBehind = true
        switch turn {
        case .lookingUp(_, let ask): abandon(ask)
        case .running(_, let ask, _) where !ask.isSlow: abandon(ask)
        case .idle, .checking, .running: break
        }
        let waiting = (look?.checks ?? []) + checks
        let queued = queue
        var views = loading?.views ?? []
        // A late reply to the look could name a commit that was dropped.
        (look, checks, queue) = (nil, [], [])
        for check in waiting {
            switch check.purpose {
            case .view: views.append(check.ask)
            case .result: again([check.ask])
            case .start:
                turn = .idle
                again([check.ask], haveRun: false)
            }
        }
        queue += queued
        loading = (nextNumber(), views)
        orders.append(.load(lastNumber))
    }

    private mutating func abandon(_ ask: Ask) {
        turn = .idle
        queue.insert(ask, at: 0)
    }

    mutating func loaded(_ number: UInt64, _ result: ReadResult<Loaded>) {
        guard let (expected, views) = loading, expected == number else { return }
        loading = nil
        switch result {
        case .found(let (state, ring)):
            take(state.continuing(committed), storedRing: ring)
        case .missing where existsByName || !committed.isStored:
            // The store was put back to before the first commit, or there has been none.
            take(EntityState(initial: committed.initial).continuing(committed), storedRing: [])
        case .missing:
            for ask in views { answer(ask, gone) }
            return markEnded()
        case .failed:
            return storeIsAway(views)
        }
        for ask in views { answer(ask, view) }
    }

    /// Shows a loaded state, and answers the lost asks by it.
    private mutating func take(_ state: EntityState, storedRing: [Stamp]) {
        // A stamp is copied only along commits that build on each other: if the ring has it, the commit is stored.
        let place = lost.lastIndex { storedRing.contains($0.commit.state.cursor) } ?? -1
        let (found, gone) = (lost[...place], lost[(place + 1)...])
        (lost, isBehind) = ([], false)
        publish(state, posts: found.flatMap(\.posts))
        for one in found { answer(one) }
        for one in gone { answer(one.ask, .unavailable(.outcomeUnknown)) }
        let queued = queue
        queue = []
        again(gone.flatMap { $0.seenBy.map(\.ask) })
        queue += queued
    }

    /// Answers everything that waits; the next ask tries again.
    private mutating func storeIsAway(_ views: [Ask]) {
        for one in lost {
            answer(one.ask, .unavailable(.outcomeUnknown))
            for (ask, _) in one.seenBy { answer(ask, .unavailable(.storeAway)) }
        }
        for ask in views + queue { answer(ask, .unavailable(.storeAway)) }
        for check in checks { fail(check) }
        (lost, queue, checks) = ([], [], [])
    }

    /// The store did not answer a check.
    mutating func fail(_ check: Check) {
        if case .start = check.purpose { turn = .idle }
        answer(check.ask, .unavailable(.storeAway))
    }
}
