// The store's answers to commits and loads, and looks at the head of a shared store.

extension EntityCore {
    mutating func committed(_ number: UInt64, _ result: CommitResult) {
        // The commit was dropped; the later load reads the state of the store.
        guard pending.first?.number == number else { return }
        guard case .stored = result else { return fail(result) }
        let stored = pending.removeFirst()
        // Usually two orders follow: publish and answer.
        orders.reserveCapacity(2)
        if stored.commit.isEnd {
            markEnded(stored.posts)
        } else {
            publish(stored.commit.state, posts: stored.posts)
        }
        answer(stored.ask, stored.outcome)
        for (ask, outcome) in stored.seenBy { answer(ask, outcome ?? view) }
        for id in stored.effects {
            // The same action may have cancelled it.
            if let effect = committed.effects.first(where: { $0.id == id }) { orders.append(.perform(effect)) }
        }
    }

    private mutating func publish(_ state: EntityState, posts: [Post]) {
        let known = committed
        committed = state
        let since = state.lineage == known.lineage ? known.head.seq : nil
        orders.append(.publish(Publication(state: state, since: since, posts: posts, isEnd: false)))
    }

    /// Drops all pending commits because the first of them failed, then reloads.
    ///
    /// The commits that build on the failed one are not stored. An unknown commit may be stored late, so it is not repeated.
    private mutating func fail(_ result: CommitResult) {
        let fallen = pending
        pending = []
        reload()
        let queued = queue
        queue = []
        for one in fallen {
            switch result {
            case .stored, .conflict: again([one.ask])
            case .refused: answer(one.ask, .unavailable(.storeAway))
            case .unknown: answer(one.ask, .unavailable(.outcomeUnknown))
            }
            again(one.seenBy.map(\.ask))
        }
        queue += queued
    }

    /// Queues again the asks that ran on an old state; a slow ask only if it has not run.
    mutating func again(_ asks: [Ask], haveRun: Bool = true) {
        for ask in asks.map({ $0.again() }) {
            if ask.isView {
                // A look follows the load and answers this view.
                checks.append(Check(ask: ask, purpose: .view))
            } else if ask.attempts > limits.attempts || haveRun && ask.isSlow {
                answer(ask, .unavailable(.conflict))
            } else if case .end = ask.kind {
                queue.insert(ask, at: 0)
            } else {
                queue.append(ask)
            }
        }
    }

    /// Reads the entity, because the store has a newer state.
    ///
    /// The load answers the views. Results on the old state are void, and their asks run again. A synchronous action in the
    /// turn also starts again; a slow action continues.
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
        // A late reply to the look could name a dropped commit.
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

    mutating func loaded(_ number: UInt64, _ result: ReadResult<EntityState>) {
        guard let (expected, views) = loading, expected == number else { return }
        loading = nil
        switch result {
        case .found(let state): publish(state.continuing(committed), posts: [])
        case .missing where existsByName || !committed.isStored:
            // There has been no commit, or a restore of the store removed it.
            publish(EntityState(initial: committed.initial).continuing(committed), posts: [])
        case .missing:
            for ask in views { answer(ask, gone) }
            return markEnded()
        case .failed:
            // The next ask tries again.
            for ask in views + queue { answer(ask, .unavailable(.storeAway)) }
            for check in checks { fail(check) }
            (queue, checks) = ([], [])
            return
        }
        isBehind = false
        for ask in views { answer(ask, view) }
    }

    /// Answers a check for which the store did not answer.
    mutating func fail(_ check: Check) {
        if case .start = check.purpose { turn = .idle }
        answer(check.ask, .unavailable(.storeAway))
    }
}

// The core asks a shared store for its head before a read, before a result that writes nothing, and before a slow action.

extension EntityCore {
    /// Answers the checks, or asks the store for the head; one look serves all waiting checks.
    mutating func startLook() {
        guard !checks.isEmpty, loading == nil, look == nil else { return }
        guard isShared else {
            // Only views come here, and no other process writes.
            for check in checks { answer(check.ask, view) }
            return checks = []
        }
        let committedHead = committed.isStored ? committed.head : nil
        look = Look(number: nextNumber(), checks: checks, heads: [committedHead] + pending.map(\.commit.state.head))
        checks = []
        orders.append(.checkHead(lastNumber))
    }

    mutating func checked(_ number: UInt64, _ result: ReadResult<Stamp>) {
        guard let look, look.number == number else { return }
        self.look = nil
        let head: Stamp?
        switch result {
        case .failed:
            for check in look.checks { fail(check) }
            return
        case .missing where committed.isStored && !existsByName:
            checks = look.checks + checks
            return markEnded()
        case .missing: head = nil
        case .found(let stamp): head = stamp
        }
        if look.heads.contains(head) {
            for check in look.checks { pass(check, at: head) }
        } else {
            checks = look.checks + checks
            // If another process wrote, the pending commits conflict. Otherwise the next look finds a known head.
            if pending.isEmpty { reload() }
        }
    }

    /// The store has nothing newer; an answer that saw a pending commit waits for it.
    private mutating func pass(_ check: Check, at head: Stamp?) {
        switch check.purpose {
        case .view:
            if let place = pending.firstIndex(where: { $0.commit.state.head == head }) {
                pending[place].seenBy.append((check.ask, nil))
            } else {
                answer(check.ask, view)
            }
        case .result(let outcome, let saw):
            if let place = pending.firstIndex(where: { $0.commit.state.head == saw }) {
                pending[place].seenBy.append((check.ask, outcome))
            } else {
                answer(check.ask, outcome)
            }
        case .start: run(check.ask)
        }
    }
}
