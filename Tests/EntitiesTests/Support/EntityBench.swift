import TestSupport

@testable import Entities

/// An entity on a memory store, with a clock that a test moves.
struct EntityBench {
    let time = ManualTime()
    let store: MemoryStore
    let environment: Environment
    let entity: Entity
    let answers = History<String>()

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
            id, state: EntityState(initial: environment.kinds.session["en"]), environment: environment)
    }

    /// Calls an action and collects its answer.
    func act(_ call: Call, key: AskKey? = nil, as name: String = "act") {
        entity.ask(Ask(.action(call), key: key) { [answers] in answers.append("\(name): \($0.words)") })
    }

    /// Waits, and collects the kind of the answer.
    @discardableResult
    func wait(
        _ question: FeedQuestion = .everything, since position: FeedPosition, for time: Duration = .seconds(25),
        as name: String = "wait"
    ) -> Waits.ID {
        entity.wait(question, since: position, for: time) { [answers] in answers.append("\(name): \($0.words)") }
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
