import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("SessionRegistry")
struct RegistryTests {
    @Test("finds a session by its token, and always the same one")
    func found() async throws {
        let bench = try await Bench()
        #expect(try await bench.registry.session(for: bench.token).value === bench.session)
    }

    @Test("an unknown token is nobody's")
    func unknown() async throws {
        let bench = try await Bench()
        _ = try await bench.registry.publicSession().value
        #expect(try await bench.registry.session(for: .random()).value == nil)
    }

    @Test("two sessions do not see each other")
    func apart() async throws {
        let bench = try await Bench()
        let other = try await bench.registry.begin(language: .english).session
        try await bench.session.act("counter/increment")
        #expect(try await other.shown("counter") == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        #expect(other.cursor.seq == 0)
        #expect(other.cursor.epoch != bench.session.cursor.epoch)
    }

    @Test("no more sessions than allowed; the public one does not count")
    func full() async throws {
        var limits = SessionLimits()
        limits.sessions = 2
        let bench = try await Bench(limits: limits)
        _ = try await bench.registry.publicSession().value
        _ = try await bench.registry.begin(language: .japanese)
        await #expect(throws: RegistryFailure.full) { try await bench.registry.begin(language: .japanese) }
        _ = try await bench.registry.publicSession().value
    }

    @Test("an end makes room again")
    func room() async throws {
        var limits = SessionLimits()
        limits.sessions = 1
        let bench = try await Bench(limits: limits)
        await #expect(throws: RegistryFailure.full) { try await bench.registry.begin(language: .japanese) }
        try await bench.registry.end(bench.session)
        _ = try await bench.registry.begin(language: .japanese)
        await #expect(throws: RegistryFailure.full) { try await bench.registry.begin(language: .japanese) }
    }

    @Test("a session that could not be stored takes no room")
    func failedBegin() async throws {
        var limits = SessionLimits()
        limits.sessions = 2
        let bench = try await Bench(limits: limits)
        for _ in 0..<3 {
            bench.store.next(.commit, .refuse)
            #expect(await failure { try await bench.registry.begin(language: .japanese) } == "unavailable")
        }
        _ = try await bench.registry.begin(language: .japanese)
    }

    @Test("as many at once as there is room for are all begun, and not one more")
    func crowd() async throws {
        var limits = SessionLimits()
        limits.sessions = 101
        let bench = try await Bench(limits: limits)
        let begun = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { (try? await bench.registry.begin(language: .japanese)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(begun == 100)
        await #expect(throws: RegistryFailure.full) { try await bench.registry.begin(language: .japanese) }
    }

    @Test("says that it is ready where the store is")
    func ready() async throws {
        let bench = try await Bench()
        #expect(await bench.registry.isReady())
        bench.store.isAway = true
        #expect(await !bench.registry.isReady())
    }

    @Test("a store that is away is unavailable, not an unknown token")
    func storeAway() async throws {
        let bench = try await Bench()
        bench.store.isAway = true
        #expect(await failure { try await bench.registry.session(for: .random()).value } == "unavailable")
        #expect(await failure { try await bench.registry.publicSession().value } == "unavailable")
        #expect(await failure { try await bench.registry.begin(language: .english) } == "unavailable")
    }

    @Test("a session that ends while it is being read does not come back to life")
    func endedWhileRead() async throws {
        let bench = try await Bench()
        let fresh = SessionRegistry(catalogue: .testing(), store: bench.store, timeline: bench.timeline)
        let gate = Gate()
        // The first reader holds what it has read; meanwhile a second reads and ends the session.
        let slow = ScriptedStore(bench.store)
        slow.next(.load, .holdTheAnswer(gate))
        let registry = SessionRegistry(catalogue: .testing(), store: slow, timeline: bench.timeline)
        let first = Task { try await registry.session(for: bench.token).value }
        await gate.arrivals()
        let second = try #require(try await registry.session(for: bench.token).value)
        try await registry.end(second)
        gate.open()
        #expect(try await first.value == nil)
        #expect(registry.count == 0)
        #expect(try await fresh.session(for: bench.token).value == nil)
    }

    @Test("lets its sessions go when it goes itself, with their live view models")
    func gone() async throws {
        weak var session: Session?
        weak var store: ScriptedStore?
        do {
            let bench = try await Bench()
            try await bench.session.act("counter/increment")
            let poll = await bench.session.poll()
            try await bench.session.act("counter/increment")
            _ = try await poll.value
            (session, store) = (bench.session, bench.store)
            #expect(session != nil)
        }
        // The poll's task may take a moment to let go.
        #expect(await eventually { session == nil && store == nil })
    }

    @Test("lets a session go that is still waited on as soon as the wait is over")
    func goneWhileWaiting() async throws {
        weak var session: Session?
        let timeline: ManualTimeline
        let poll: Task<FeedAnswer, any Error>
        do {
            let bench = try await Bench()
            (session, timeline) = (bench.session, bench.timeline)
            poll = await bench.session.poll(wait: .seconds(2))
        }
        #expect(session != nil)
        timeline.advance(by: .seconds(3))
        #expect(try Said(await poll.value).kind == "idle")
        #expect(await eventually { session == nil })
    }
}
