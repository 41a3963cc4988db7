import TestSupport
import Testing

@testable import Entities

/// A registry on a memory store, with a clock that a test moves.
private struct Bench {
    let time = ManualTime()
    let store: MemoryStore
    let registry: Registry

    init(isShared: Bool = false, store: MemoryStore? = nil, _ adjust: (inout Registry.Limits) -> Void = { _ in }) {
        let time = time
        var limits = Registry.Limits()
        adjust(&limits)
        self.store = store ?? MemoryStore(isShared: isShared) { time.now }
        let environment = Environment(
            store: self.store, kinds: EntityKinds(sessions: Counters()), executor: Executor(threads: 1), timer: time)
        registry = Registry(environment, language: "en", limits: limits)
        registry.start()
    }

    func begin() throws -> (SessionToken, Entity) {
        let begun = History<(SessionToken, Registry.Found)>()
        registry.begin { begun.append(($0, $1)) }
        let (token, found) = try #require(begun.all.first)
        guard case .success(let session) = found else { throw Missing(found) }
        return (token, session)
    }

    func find(_ id: EntityID) throws -> Entity {
        let found = History<Registry.Found>()
        registry.find(id) { found.append($0) }
        switch try #require(found.all.first) {
        case .success(let session): return session
        case let other: throw Missing(other)
        }
    }

    struct Missing: Error {
        let found: Registry.Found
        init(_ found: Registry.Found) { self.found = found }
        var reason: Outcome.Unavailable? {
            if case .failure(let reason) = found { reason } else { nil }
        }
    }
}

/// Protects sessions in memory: bounds, expiry and news of other processes.
@Suite("The registry")
struct RegistryTests {
    @Test("begins a session that its token finds, also in another process")
    func begin() throws {
        let bench = Bench(isShared: true)
        let (token, session) = try bench.begin()
        #expect(try bench.find(token.entityID) === session)
        let other = Bench(store: bench.store)
        let found = try other.find(token.entityID)
        #expect(found !== session)
        #expect(found.published.state.cursor == session.published.state.cursor)
    }

    @Test("finds the public session, which nobody has begun")
    func publicSession() throws {
        let bench = Bench()
        #expect(try bench.find(.publicSession) === bench.find(.publicSession))
        #expect(bench.store.count == 0)
    }

    @Test("drops an idle entity, and finds it again in the store")
    func idle() throws {
        let bench = Bench()
        let token = try bench.begin().0
        bench.time.pass(seconds: 110)
        #expect(bench.registry.count == 1)
        bench.time.pass(seconds: 20)
        #expect(bench.registry.count == 0)
        _ = try bench.find(token.entityID)
        #expect(bench.registry.count == 1)
    }

    @Test("never drops an entity on which somebody waits")
    func awaited() throws {
        let bench = Bench()
        let entity = try bench.begin().1
        let wait = entity.wait(.everything, since: entity.published.state.idleAnswer().position, for: .seconds(900)) {
            _ in
        }
        weak let held = entity
        func leave(_ entity: consuming Entity) {}
        leave(entity)
        bench.time.pass(seconds: 300)
        #expect(bench.registry.count == 1)
        held?.cancelWait(wait)
    }

    @Test("makes room by the least recently used entity")
    func leastRecentlyUsed() throws {
        let bench = Bench { $0.entities = 2 }
        let first = try bench.begin().0
        bench.time.advance(by: .seconds(1))
        let second = try bench.begin().0
        bench.time.advance(by: .seconds(1))
        let kept = ObjectIdentifier(try bench.find(first.entityID))
        bench.time.advance(by: .seconds(1))
        _ = try bench.begin()
        #expect(bench.registry.count == 2)
        #expect(ObjectIdentifier(try bench.find(first.entityID)) == kept)
        #expect(bench.store.count == 3)
        _ = try bench.find(second.entityID)
    }

    @Test("is full when all entities in memory are in use")
    func full() throws {
        let bench = Bench { $0.entities = 1 }
        let held = try bench.begin()
        let missing = #expect(throws: Bench.Missing.self) { try bench.begin() }
        #expect(missing?.reason == .full)
        let other = #expect(throws: Bench.Missing.self) { try bench.find(.publicSession) }
        #expect(other?.reason == .full)
        withExtendedLifetime(held) {}
    }

    @Test("ends a session that nobody uses, and none that is in use")
    func expiry() throws {
        let bench = Bench { $0.timeToLive = .seconds(900) }
        let unused = try bench.begin().0
        let used = try bench.begin().0
        for _ in 0..<16 {
            bench.time.pass(seconds: 60)
            _ = try bench.find(used.entityID)
        }
        #expect(bench.store.count == 1)
        _ = try bench.find(used.entityID)
        #expect(throws: Bench.Missing.self) { try bench.find(unused.entityID) }
    }

    @Test("deletes all keys whose window has passed in one minute, more than one batch of them")
    func outdatedKeys() {
        let bench = Bench()
        let state = CoreBench().core.committed
        for number in 0..<Registry.batch + 100 {
            let key = StoredKey(
                digest: KeyDigest([1]), request: [2], remembered: Remembered(status: 200, body: []),
                window: .seconds(30))
            bench.store.submit(Commit(id: .session("\(number)"), base: nil, state: state, key: key)) { _ in }
        }
        bench.time.pass(seconds: 60)
        #expect(bench.store.keyCount == 0)
    }

    @Test("tells the waits of a session that the store has ended")
    func expiredUnderWait() throws {
        let bench = Bench { $0.timeToLive = .seconds(900) }
        let entity = try bench.begin().1
        let answers = History<String>()
        entity.wait(.everything, since: entity.published.state.idleAnswer().position, for: .seconds(3_600)) {
            answers.append($0.words)
        }
        bench.time.pass(seconds: 1_000)
        #expect(answers.all == ["ended 0"])
    }

    @Test("tells the waits of a commit of another process by its hint")
    func hint() throws {
        let bench = Bench(isShared: true)
        let other = Bench(isShared: true, store: bench.store)
        let (token, session) = try bench.begin()
        let answers = History<String>()
        let position = session.published.state.idleAnswer().position
        session.wait(.everything, since: position, for: .seconds(25)) { answers.append($0.words) }
        try other.find(token.entityID).ask(Ask(.action(.inline(.increment))) { answers.append($0.words) })
        #expect(Set(answers.all) == ["delta 1", "done \"en 1\""])
    }
}
