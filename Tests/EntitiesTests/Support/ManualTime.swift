import Synchronization

@testable import Entities

/// A clock that a test moves by hand.
final class ManualTime: Timing {
    private let state = Mutex((now: Duration.zero, deadlines: Deadlines(tick: .milliseconds(50))))

    var now: Duration { state.withLock { $0.now } }

    func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey {
        state.withLock { $0.deadlines.add(at: time, act) }
    }

    func cancel(_ keys: [TimerKey]) {
        state.withLock { state in for key in keys { state.deadlines.remove(key) } }
    }

    /// Moves the time, and calls what is due.
    func advance(by time: Duration) {
        let due = state.withLock { state in
            state.now += time
            return state.deadlines.due(at: state.now)
        }
        for act in due { act() }
    }

    /// Moves the time in steps of a second, so that deadlines that set deadlines come in order.
    func pass(seconds: Int) { for _ in 0..<seconds { advance(by: .seconds(1)) } }
}

/// An entity on a memory store, with a clock that a test moves.
struct EntityBench {
    let time = ManualTime()
    let store: MemoryStore
    let environment: Environment
    let entity: Entity
    let answers = Answers()

    init(
        isShared: Bool = false, host: Counters = Counters(), id: EntityID = .publicSession, store: MemoryStore? = nil,
        executor: Executor = Executor(threads: 2), isOnEventLoop: Bool = true
    ) {
        let time = time
        self.store = store ?? MemoryStore(isShared: isShared) { time.now }
        environment = Environment(
            store: self.store, kinds: EntityKinds(sessions: host), executor: executor, timer: time
        ) { isOnEventLoop }
        entity = Entity(
            id, state: EntityState(initial: environment.kinds.session.initial["en"]), environment: environment)
    }

    /// Calls an action and collects its answer.
    func act(_ call: Call, key: AskKey? = nil, as name: String = "act") {
        entity.ask(Ask(.action(call), key: key) { [answers] in answers.add("\(name): \($0.words)") })
    }

    /// Waits, and collects the kind of the answer.
    @discardableResult
    func wait(
        _ question: FeedQuestion = .everything, since position: FeedPosition, for time: Duration = .seconds(25),
        as name: String = "wait"
    ) -> Waits.ID {
        entity.wait(question, since: position, for: time) { [answers] in answers.add("\(name): \($0.words)") }
    }

    /// Where a client stands that has seen everything.
    var now: FeedPosition { entity.published.state.idleAnswer().position }
    var cursor: Stamp { entity.published.state.cursor }
}

extension Result<FeedAnswer, FeedFailure> {
    var words: String {
        switch self {
        case .success(let answer): "\(answer.kind.rawValue) \(answer.cursor.seq)"
        case .failure(let failure): failure.outcome.words
        }
    }
}

extension Entity {
    /// Calls an action and waits for its outcome.
    func outcome(of call: Call, key: AskKey? = nil) async -> Outcome {
        await withCheckedContinuation { continuation in
            ask(Ask(.action(call), key: key) { continuation.resume(returning: $0) })
        }
    }
}
