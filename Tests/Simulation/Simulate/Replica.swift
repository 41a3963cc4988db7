import Sessions
import ViewModels

/// One process that serves the store: a registry, from its start to its end.
// Safe: the simulation has one thread.
final class Replica: @unchecked Sendable {
    let world: World
    let name: String
    let build: Int
    private(set) var isAlive = true
    private(set) var registry: SessionRegistry?
    /// Whether it is about to stop.
    var isDraining = false
    /// The number of what had happened when it started.
    let startedAt: Int
    /// For each session, the latest commit that an answer of this replica has shown, and when.
    private var floors: [[(time: Int, number: Int)]]
    /// When the store told that sessions are gone.
    var absences: [Int: Int] = [:]
    /// When a slow action last held sessions here.
    var holds: [Int: Int] = [:]
    /// When sessions were last used here.
    var uses: [Int: Int] = [:]
    private(set) lazy var timeline = ReplicaTimeline(of: self)
    private(set) lazy var link = StoreLink(of: self)

    init(_ name: String, build: Int, in world: World) {
        self.world = world
        self.name = name
        self.build = build
        startedAt = world.number
        floors = world.disk.sessions.map { [(0, $0.head?.number ?? 0)] }
        registry = SessionRegistry(
            catalogue: .of(build: build, in: self), store: link, limits: world.plan.limits, timeline: timeline,
            threads: SimulatedThreads(of: self))
    }

    /// Ends it as `kill -9` does: nothing that is under way is ever heard of.
    func die() {
        isAlive = false
        registry = nil
        link.cut()
        world.leases.lose(self)
    }

    /// What of a session everybody who asks from now on is to be shown, or later.
    ///
    /// - Parameter time: only what was shown until then.
    func floor(of session: StoredSession, by time: Int = .max) -> Int {
        guard session.place < floors.count else { return 0 }
        return floors[session.place].last { $0.time <= time }?.number ?? 0
    }

    func raiseFloor(of session: StoredSession, to number: Int) {
        while floors.count <= session.place { floors.append([(0, 0)]) }
        guard let last = floors[session.place].last, last.number < number else { return }
        floors[session.place].append((world.now, number))
    }

    /// A thread for what may block: a job of the world's, now, later, or much too late.
    fileprivate func runAside(_ work: @escaping @Sendable () -> Void) -> Bool {
        if !world.isHealed, world.dice.happens(world.plan.busy) { return false }
        if !world.isHealed, world.dice.happens(10) {
            let time = world.pickSlowTime()
            world.noteSlow(time, on: self)
            world.at(world.now + time, for: self) { work() }
        } else {
            world.soon(for: self) { work() }
        }
        return true
    }

    /// Notes that an action did something outside.
    func noteEffect(of id: Int) {
        if isAlive { world.judge.effects[id, default: 0] += 1 }
    }

    func pause(_ milliseconds: Int) async {
        await withUnsafeContinuation { continuation in
            world.at(world.now + milliseconds, for: self) { continuation.resume() }
        }
    }
}

/// Threads for what may block, as jobs of the world's.
private final class SimulatedThreads: ThreadSupply {
    // The replica outlives its registry.
    private unowned let replica: Replica

    init(of replica: Replica) { self.replica = replica }

    func run(_ work: @escaping @Sendable () -> Void) -> Bool { replica.runAside(work) }

    func runChange(_ work: @escaping @Sendable () -> Void) -> Bool { replica.runAside(work) }

    func runMaking(_ work: @escaping @Sendable () -> Void) -> Bool { replica.runAside(work) }
}
