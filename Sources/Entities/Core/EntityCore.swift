/// One entity as a pure state machine: a value without lock, clock, task or store.
///
/// It takes events and returns orders. One ask at a time has the turn. A synchronous action runs at once, and the next one runs
/// on its result while the store still writes. A result that writes nothing waits for the commits that it saw. If a commit
/// fails, the core drops all pending commits, reloads, and repeats the asks that may be repeated.
package struct EntityCore: Sendable {
    /// The bounds of an entity.
    package struct Limits: Sendable {
        /// How many actions may be unanswered.
        package var queue = 256
        /// How many keys are remembered.
        package var keys = 1_000
        /// How many effects may be unfinished.
        package var effects = 256
        /// How many bytes the parts may have in the store.
        package var bytes = 1 << 20
        /// How often an ask may run on an old state.
        package var attempts = 16

        package init() {}
    }

    enum Turn: Sendable {
        case idle
        /// A slow action waits for a look at the store's head.
        case checking
        case lookingUp(UInt64, Ask)
        /// The ask runs on the state with the stamp `base`.
        case running(UInt64, Ask, base: Stamp)
    }

    /// A commit that the store has not answered, and the answers that depend on it; if it fails, they are void.
    struct Pending: Sendable {
        let number: UInt64
        let commit: Commit
        let ask: Ask
        let outcome: Outcome
        let posts: [Post]
        /// The effects that this process runs, once the commit is stored.
        var effects: [String] = []
        /// Asks that saw the commit and write nothing; a nil outcome stands for a view, which gets the committed state.
        var seenBy: [(ask: Ask, outcome: Outcome?)] = []
    }

    /// An ask that waits for a look at the head of a shared store.
    struct Check: Sendable {
        enum Purpose: Sendable {
            case view
            /// A result that writes nothing, and the stamp of the state that it saw.
            case result(Outcome, saw: Stamp)
            /// A slow action before its start.
            case start
        }
        let ask: Ask
        let purpose: Purpose
    }

    /// A running look, and the heads that this process wrote or knows; nil means no row.
    struct Look: Sendable {
        let number: UInt64
        let checks: [Check]
        var heads: [Stamp?]
    }

    package let id: EntityID
    let limits: Limits
    /// Whether other processes write to the store.
    let isShared: Bool
    /// Whether the entity exists before its first commit.
    let existsByName: Bool

    /// The state that the store has, and that clients see.
    package internal(set) var committed: EntityState
    /// Whether the entity has ended.
    package internal(set) var isEnded = false
    /// Whether the store may be ahead of `committed`.
    var isBehind = false

    var turn = Turn.idle
    var queue: [Ask] = []
    var pending: [Pending] = []
    /// Asks that wait for the next look at the head.
    var checks: [Check] = []
    var look: Look?
    /// A running load, and the earlier views that it answers.
    var loading: (number: UInt64, views: [Ask])?
    /// Actions without an answer.
    var unanswered = 0
    var lastNumber: UInt64 = 0
    var orders: [Order] = []

    /// Makes the core of a loaded or new entity.
    package init(
        _ id: EntityID, state: EntityState, isShared: Bool, existsByName: Bool, limits: Limits = Limits()
    ) {
        (self.id, self.limits, self.isShared, self.existsByName) = (id, limits, isShared, existsByName)
        committed = state
    }

    /// Whether the end of the entity is pending.
    var isEnding: Bool { pending.last?.commit.isEnd == true }

    /// The state after all pending commits: the next action runs on it.
    var latest: EntityState { pending.isEmpty ? committed : pending[pending.count - 1].commit.state }

    /// Whether a view needs no order: the committed state is the answer.
    package var isCurrent: Bool { !isShared && !isBehind && loading == nil && !isEnded && exists }

    /// Whether clients see the entity; an entity that an action makes exists from its first commit on.
    var exists: Bool { existsByName || committed.isStored }
    /// The answer to a view of the committed state.
    var view: Outcome { exists ? .done(committed) : gone }
    /// The answer if there is no entity.
    var gone: Outcome { .unavailable(id.isNamed ? .missing : .ended) }

    /// Takes an event and returns the orders that follow from it.
    package mutating func handle(_ event: Event) -> [Order] {
        // After the end, only asks still get an answer.
        if isEnded {
            if case .ask(let ask) = event { return [.answer(ask, gone)] }
            return []
        }
        switch event {
        case .ask(let ask): take(ask)
        case .ran(let number, let result): ran(number, result)
        case .committed(let number, let result): committed(number, result)
        case .loaded(let number, let result): loaded(number, result)
        case .head(let number, let result): checked(number, result)
        case .lookedUp(let number, let result): lookedUp(number, result)
        }
        proceed()
        defer { orders = [] }
        return orders
    }

    private mutating func take(_ ask: Ask) {
        switch ask.kind {
        case .view: checks.append(Check(ask: ask, purpose: .view))
        case .end: queue.insert(ask, at: 0)  // ahead of the queue
        case .action, .language, .effect:
            unanswered += 1
            // The result of an effect must not be lost.
            guard unanswered <= limits.queue || ask.step != nil else { return answer(ask, .unavailable(.queueFull)) }
            queue.append(ask)
        }
    }

    private mutating func proceed() {
        guard !isEnded else { return }
        if isBehind, loading == nil, pending.isEmpty, !(queue.isEmpty && checks.isEmpty) { reload() }
        while startNext() {}
        startLook()
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func answer(_ ask: Ask, _ outcome: Outcome) {
        switch ask.kind {
        case .action, .language, .effect: unanswered -= 1
        case .view, .end: break
        }
        orders.append(.answer(ask, outcome))
    }

    /// The store no longer has the entity, so all waiting asks get the answer ``gone``.
    mutating func markEnded(_ posts: [Post] = []) {
        isEnded = true
        orders.append(.publish(Publication(state: committed, since: nil, posts: posts, isEnd: true)))
        var asks = pending.flatMap { [$0.ask] + $0.seenBy.map(\.ask) }
        switch turn {
        case .idle, .checking: break
        case .lookingUp(_, let ask), .running(_, let ask, _): asks.append(ask)
        }
        asks += ((look?.checks ?? []) + checks).map(\.ask) + (loading?.views ?? []) + queue
        for ask in asks { answer(ask, gone) }
        (turn, queue, pending, checks, look, loading) = (.idle, [], [], [], nil, nil)
    }
}

// The turn, and the result of its action.

extension EntityCore {
    /// Gives a free turn to the next ask; returns whether another ask may begin.
    mutating func startNext() -> Bool {
        guard loading == nil, !isBehind, !isEnding, let ask = queue.first else { return false }
        if case .end = ask.kind {
            // The end does not wait for a slow action, and drops its result.
            queue.removeFirst()
            let last = latest.applying(Changes())
            submit(ask, .done(last), last, Changes(isEnd: true))
            return false
        }
        // A slow action starts when no commit is pending, because it cannot be repeated if a commit fails.
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
        // The effect was cancelled, replaced or finished.
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
        // The end or a reload came first; a reload restarts quick actions.
        guard latest.head == base, loading == nil else { return again([ask]) }
        let latest = latest
        switch result {
        case .success(var changes):
            if let step = ask.step { changes.effects.insert(.step(step), at: 0) }
            // An action that makes an entity is a commit, also if it changes nothing.
            if existsByName || latest.isStored, changes.posts.isEmpty, !changes.isEnd, !latest.isChanged(by: changes) {
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

    /// Ends an ask that changed nothing; with a key, by a commit without changes.
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

    /// Delays a result that writes nothing until the state that it saw is stored; a shared store is checked first.
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
