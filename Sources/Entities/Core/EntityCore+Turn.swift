// The turn, and the result of its action.

extension EntityCore {
    /// Gives a free turn to the next ask; returns whether there may be another one to begin.
    mutating func startNext() -> Bool {
        guard loading == nil, !isBehind, !isEnding, let ask = queue.first else { return false }
        if case .end = ask.kind {
            // It does not wait for a slow action, whose result it drops.
            queue.removeFirst()
            let last = latest.applying(Changes())
            submit(ask, .done(last), last, Changes(isEnd: true))
            return false
        }
        // A slow action starts with nothing pending: it cannot be repeated if a commit before it fails.
        guard case .idle = turn, pending.isEmpty || !ask.isSlow else { return false }
        queue.removeFirst()
        if let key = ask.key { begin(ask, key) } else { start(ask) }
        return true
    }

    private mutating func begin(_ ask: Ask, _ key: AskKey) {
        // A pending commit stores this key: its outcome answers both.
        if let place = pending.lastIndex(where: { $0.commit.key?.digest == key.digest }),
            let stored = pending[place].commit.key
        {
            return pending[place].seenBy.append((ask, outcome(of: stored, for: key)))
        }
        turn = .lookingUp(nextNumber(), ask)
        orders.append(.lookUp(lastNumber, key.digest))
    }

    mutating func lookedUp(_ number: UInt64, _ result: KeyResult) {
        guard case .lookingUp(number, let ask) = turn, let key = ask.key else { return }
        turn = .idle
        switch result {
        case .found(let stored): answer(ask, outcome(of: stored, for: key))
        case .missing(let count):
            let pendingKeys = pending.reduce(0) { $0 + ($1.commit.key == nil ? 0 : 1) }
            guard count + pendingKeys < limits.keys || key.digest.counted == nil else {
                return answer(ask, .unavailable(.tooManyKeys))
            }
            start(ask)
        case .failed: answer(ask, .unavailable(.storeAway))
        }
    }

    private func outcome(of stored: StoredKey, for key: AskKey) -> Outcome {
        stored.request == key.request ? .replayed(stored.remembered) : .refused(.keyMismatch, committed)
    }

    private mutating func start(_ ask: Ask) {
        guard ask.isSlow, isShared else { return run(ask) }
        turn = .checking
        checks.append(Check(ask: ask, purpose: .start))
    }

    mutating func run(_ ask: Ask) {
        let state = latest
        turn = .idle
        // The end came first; the ask waits for it.
        guard !isEnding else { return queue.insert(ask, at: 0) }
        if case .action(let call) = ask.kind, !existsByName, call.isMaking == state.isStored {
            return settle(ask, call.isMaking ? .refused(.exists, state) : gone)
        }
        // Cancelled, replaced, or over.
        if let step = ask.step, !state.effects.allows(step) { return answer(ask, .unavailable(.missing)) }
        if let match = ask.match, case .action(let call) = ask.kind, let index = state.initial.index(of: call.part),
            !match.contains(state.stamp(of: index))
        {
            return settle(ask, .refused(.preconditionFailed, state))
        }
        turn = .running(nextNumber(), ask, base: state.head)
        orders.append(.run(lastNumber, ask, on: state))
    }

    mutating func ran(_ number: UInt64, _ result: Result<Changes, ActionError>) {
        guard case .running(number, let ask, let base) = turn else { return }
        turn = .idle
        // The end came first, or a reload, which restarts quick actions.
        guard latest.head == base, loading == nil else { return again([ask]) }
        let latest = latest
        switch result {
        case .success(var changes):
            if let step = ask.step { changes.effects.insert(.step(step), at: 0) }
            if changes.posts.isEmpty, !changes.isEnd, !latest.isChanged(by: changes) {
                return finish(ask, .done(latest))
            }
            let state = latest.applying(changes)
            guard state.size <= limits.bytes else { return finish(ask, .failed(.tooLarge)) }
            guard state.effects.count <= limits.effects || state.effects.count <= latest.effects.count else {
                return settle(ask, .unavailable(.tooManyEffects))
            }
            submit(ask, .done(state), state, changes)
        case .failure(.refused(let error)): finish(ask, .refused(.action(error), latest))
        case .failure(.failed(let error)): finish(ask, .failed(.action(error)))
        case .failure(.timedOut): finish(ask, .failed(.timedOut))
        case .failure(.busy): answer(ask, .unavailable(.busy))
        }
    }

    /// The ask came to a result that changes nothing; with a key it is a commit without changes.
    private mutating func finish(_ ask: Ask, _ outcome: Outcome) {
        // A commit would make an entity that the action did not make.
        guard existsByName || latest.isStored, let key = ask.key, key.remember(outcome) != nil else {
            return settle(ask, outcome)
        }
        let state = latest.applying(Changes())
        submit(ask, outcome, state, Changes())
    }

    private mutating func submit(_ ask: Ask, _ outcome: Outcome, _ state: EntityState, _ changes: Changes) {
        let latest = latest
        let key = changes.isEnd ? nil : ask.key?.stored(outcome)
        let commit = Commit(
            id: id, base: latest.isStored ? latest.head : nil, state: state, key: key, isEnd: changes.isEnd)
        let number = nextNumber()
        var new = Pending(number: number, commit: commit, ask: ask, outcome: outcome, posts: changes.posts)
        if !changes.effects.isEmpty { new.effects = changes.effects.compactMap(\.taken) }
        pending.append(new)
        look?.heads.append(state.head)
        orders.append(.submit(number, commit))
    }

    /// Holds back a result that writes nothing until the state that it saw is stored, and on a shared store the latest.
    private mutating func settle(_ ask: Ask, _ outcome: Outcome) {
        if isShared {
            checks.append(Check(ask: ask, purpose: .result(outcome, saw: latest.head)))
        } else if pending.isEmpty {
            answer(ask, outcome)
        } else {
            pending[pending.count - 1].seenBy.append((ask, outcome))
        }
    }
}
