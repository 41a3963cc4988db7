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
        /// How many effects may be started and not over.
        package var effects = 256
        /// How many bytes the parts may have in the store.
        package var bytes = 1 << 20
        /// How often an ask runs on a state that turns out to be old.
        package var attempts = 16

        /// The default bounds.
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

    /// A commit on its way to the store, and the answers that depend on it: they wait for it and fall with it.
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
            /// A slow action that is about to start.
            case start
        }
        let ask: Ask
        let purpose: Purpose
    }

    /// A look on its way, and the heads that this process wrote or knows; nil means no row.
    struct Look: Sendable {
        let number: UInt64
        let checks: [Check]
        var heads: [Stamp?]
    }

    /// The name of the entity.
    package let id: EntityID
    let limits: Limits
    /// Whether other processes write to the store.
    let isShared: Bool
    /// Whether the entity exists before its first commit.
    let existsByName: Bool

    /// The state that the store has, and that clients see.
    package internal(set) var committed: EntityState
    /// Whether the entity is gone for good.
    package internal(set) var isEnded = false
    /// Whether the store may be ahead of `committed`.
    var isBehind = false

    var turn = Turn.idle
    var queue: [Ask] = []
    var pending: [Pending] = []
    /// Asks that wait for the next look at the head.
    var checks: [Check] = []
    var look: Look?
    /// A load on its way, and the views that it answers: they came before it began.
    var loading: (number: UInt64, views: [Ask])?
    /// Actions without an answer.
    var unanswered = 0
    var lastNumber: UInt64 = 0
    var orders: [Order] = []

    /// Makes the core of an entity as it was loaded, or as it begins.
    package init(
        _ id: EntityID, state: EntityState, isShared: Bool, existsByName: Bool, limits: Limits = Limits()
    ) {
        (self.id, self.limits, self.isShared, self.existsByName) = (id, limits, isShared, existsByName)
        committed = state
    }

    /// Whether the end of the entity is on its way to the store.
    var isEnding: Bool { pending.last?.commit.isEnd == true }

    /// The state after all pending commits: the next action runs on it.
    var latest: EntityState { pending.isEmpty ? committed : pending[pending.count - 1].commit.state }

    /// Whether a view needs no order: the committed state is the answer.
    package var isCurrent: Bool { !isShared && !isBehind && loading == nil && !isEnded && exists }

    /// Whether clients see the entity: an action that makes it has not been stored where it does not.
    var exists: Bool { existsByName || committed.isStored }
    /// The answer to a view of the committed state.
    var view: Outcome { exists ? .done(committed) : gone }
    /// The answer where there is no entity.
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

    /// Starts everything that the present state allows.
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

    /// The store has the entity no more: nothing that is unanswered can be done.
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
