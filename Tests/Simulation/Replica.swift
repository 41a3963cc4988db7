import Entities
import Locking

/// A process of one build: its core, and the waits on it.
// Safe: the simulator has one thread, and waits for each thread that it starts.
final class Replica: @unchecked Sendable {
    let index: Int
    let build: Build
    let kind: EntityKind
    var core: EntityCore
    let timer = SimulatedTime()
    var observers: [Int: @Sendable () -> Void] = [:]
    var requests: [SimulatedStore.Request] = []
    /// Events on their way to the core.
    var mail: [Event] = []
    private var lastObserver = 0
    /// Commits of other processes of which it was told, and has not heeded yet.
    var hints = 0
    /// Called once when a wait looks: the world commits in that moment.
    var window: (() -> Void)?
    /// The attempts of effects that run, and their deadlines.
    var work: [(effect: StoredEffect, deadline: Duration)] = []
    /// Looks at the head for a wait.
    var refresh: (@escaping @Sendable (Outcome) -> Void) -> Void = { _ in }

    init(index: Int, build: Build, id: EntityID, loaded: ReadResult<StoredEntity>, language: String, isShared: Bool) {
        self.index = index
        self.build = build
        let kind = EntityKind(build)
        self.kind = kind
        let state: EntityState
        if case .found(let stored) = loaded.map({ EntityState($0, of: kind) }) {
            state = stored
        } else {
            state = EntityState(initial: kind[language])
        }
        var limits = EntityCore.Limits()
        limits.queue = 24
        core = EntityCore(id, state: state, isShared: isShared, existsByName: !id.expires, limits: limits)
    }

    private(set) lazy var waits = Waits(self, timer: timer)
}

extension Replica: WaitSource {
    var published: (state: EntityState, isEnded: Bool) {
        let published = (core.committed, core.isEnded)
        if let window {
            self.window = nil
            window()
        }
        return published
    }

    func view(_ answer: @escaping @Sendable (Outcome) -> Void) { refresh(answer) }

    func observe(_ told: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        lastObserver += 1
        let number = lastObserver
        observers[number] = told
        return { [weak self] in self?.observers[number] = nil }
    }
}

/// A clock that the world moves.
final class SimulatedTime: Timing {
    private let state = Lock((now: Duration.zero, deadlines: Deadlines(tick: .milliseconds(50))))

    var now: Duration { state.withLock { $0.now } }

    func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey {
        state.withLock { $0.deadlines.add(at: time, act) }
    }

    func cancel(_ keys: [TimerKey]) { state.withLock { state in for key in keys { state.deadlines.remove(key) } } }

    func advance(by time: Duration) {
        let due = state.withLock { state in
            state.now += time
            return state.deadlines.due(at: state.now)
        }
        for act in due { act() }
    }
}
