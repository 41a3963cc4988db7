import Sessions
import TestSupport
import Testing

@Suite("A session that nobody uses leaves memory")
struct PassivationTests {
    private let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.timeInMemory = .seconds(60)
        limits.timeToLive = .seconds(1000)
        return limits
    }()

    @Test("after its time in memory, not before, and is still there by its token")
    func leaves() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .milliseconds(59_999))
        #expect(await bench.registry.evictIdle() == 0)
        bench.timeline.advance(by: .milliseconds(1))
        #expect(await bench.registry.evictIdle() == 1)
        #expect(bench.registry.count == 0)
        #expect(bench.registry.session(for: bench.token).known == nil)
        #expect(try await bench.found() !== bench.session)
        #expect(bench.registry.count == 1)
    }

    @Test("and comes back with its state, its cursor and its outcomes")
    func comesBack() async throws {
        let bench = try await Bench(limits: limits)
        try await bench.session.act("counter/increment", key: "a")
        try await bench.session.act("nasty/change-model")
        let (cursor, shown) = (bench.session.cursor, try await bench.session.shown("counter"))
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        let found = try await bench.found()
        #expect(found.cursor == cursor)
        #expect(try await found.shown("counter") == shown)
        #expect(try await found.changes(since: cursor).kind == "idle")
        #expect(try await found.act("counter/increment", key: "a").isReplay)
        #expect(try await found.act("counter/increment").entityTag.contains(".3"))
    }

    @Test("its view models with it")
    func viewModels() async throws {
        let bench = try await Bench(of: .ticking(Springs()), limits: limits)
        weak var session: Session?
        do {
            let (token, begun) = try await bench.registry.begin(language: .japanese)
            _ = try await begun.perform(ActionID(0, of: 0))
            session = begun
            _ = token
        }
        #expect(session != nil)
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 2)
        // The thread that made its view models may still be about to let go of it.
        #expect(await eventually { session == nil })
    }

    @Test("whoever still has it is told to find it again, and nothing happens")
    func stillHeld() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        #expect(await failure { try await bench.session.act("counter/increment") } == "evicted")
        #expect(await failure { try await bench.session.shown("counter") } == "evicted")
        #expect(bench.session.openStream() == false)
        #expect(try await bench.found().cursor.seq == 0)
    }

    @Test("not while a poll waits, and its time begins when that ends", arguments: [WaitKind.poll, .stream])
    func waiting(kind: WaitKind) async throws {
        let bench = try await Bench(limits: limits)
        let poll = await bench.session.poll(wait: .seconds(500), as: kind)
        try await bench.timeline.sleeper(until: .seconds(500))
        bench.timeline.advance(by: .seconds(499))
        #expect(await bench.registry.evictIdle() == 0)
        bench.timeline.advance(by: .seconds(1))
        _ = try await poll.value
        bench.timeline.advance(by: .seconds(59))
        #expect(await bench.registry.evictIdle() == 0)
        bench.timeline.advance(by: .seconds(1))
        #expect(await bench.registry.evictIdle() == 1)
    }

    @Test("not while a stream is open, though it does not wait")
    func stream() async throws {
        let bench = try await Bench(limits: limits)
        #expect(bench.session.openStream())
        bench.timeline.advance(by: .seconds(500))
        #expect(await bench.registry.evictIdle() == 0)
        bench.session.closeStream()
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
    }

    @Test("not while a commit is on its way")
    func acting() async throws {
        let bench = try await Bench(limits: limits)
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        let action = Task.immediate { try await bench.session.act("counter/increment") }
        await gate.arrivals()
        bench.timeline.advance(by: .seconds(500))
        #expect(await bench.registry.evictIdle() == 0)
        gate.open()
        _ = try await action.value
        #expect(try await bench.session.shown("counter") == counter(1))
    }

    @Test("also where its latest commit failed; what was stored of it is seen when it comes back")
    func behind() async throws {
        let bench = try await Bench(limits: limits)
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await bench.session.act("counter/increment", key: "a") } == "unavailable")
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        #expect(try await bench.found().shown("counter") == counter(1))
        #expect(try await bench.found().act("counter/increment", key: "a").isReplay)
    }

    @Test("two who find it at once find the same one")
    func once() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        let gate = Gate()
        bench.store.next(.load, .wait(gate), .wait(gate))
        async let first = bench.found()
        async let second = bench.found()
        await gate.arrivals(2)
        gate.open()
        #expect(try await first === second)
    }

    @Test("what was read of it before it moved on and left again is not what comes back")
    func staleRead() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        let gate = Gate()
        bench.store.next(.load, .holdTheAnswer(gate))
        let slow = Task.immediate { try await bench.found() }
        await gate.arrivals()
        try await bench.found().act("counter/increment")
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        gate.open()
        #expect(try await slow.value.shown("counter") == counter(1))
    }

    @Test("one that is only read is kept alive in the store")
    func touched() async throws {
        let bench = try await Bench(limits: limits)
        for _ in 0..<30 {
            bench.timeline.advance(by: .seconds(50))
            _ = try await bench.found().shown("counter")
            await bench.registry.touchUsed()
        }
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        let end = try #require(try await bench.store.load(bench.session.id)?.end)
        let used = bench.timeline.secondsSince1970 - 60
        #expect(abs(end.secondsSince1970 - used - 1000) <= 50)
        await bench.registry.endExpired()
        #expect(try await bench.found().cursor == bench.session.cursor)
    }

    @Test("one that was used while the store was away is kept alive when the store is back")
    func touchedLater() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(900))
        _ = try await bench.found()
        bench.store.isAway = true
        await bench.registry.touchUsed()
        bench.store.isAway = false
        await bench.registry.touchUsed()
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        let end = try #require(try await bench.store.load(bench.session.id)?.end)
        #expect(end.secondsSince1970 - bench.timeline.secondsSince1970 == 1000 - 60)
    }

    @Test("one that was used while the store was away stays until the store is told")
    func touchedBeforeItLeaves() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(900))
        _ = try await bench.found()
        bench.store.isAway = true
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 0)
        bench.store.isAway = false
        #expect(await bench.registry.evictIdle() == 1)
        let end = try #require(try await bench.store.load(bench.session.id)?.end)
        #expect(end.secondsSince1970 - bench.timeline.secondsSince1970 == 1000 - 60)
    }

    @Test("one whose end another replica puts off while it is read is there")
    func usedElsewhere() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(999))
        let there = bench.replica(limits: limits)
        let gate = Gate()
        bench.store.next(.load, .holdTheAnswer(gate))
        #expect(await bench.registry.evictIdle() == 1)
        let slow = Task.immediate { try await bench.found() }
        await gate.arrivals()
        _ = try await there.session(for: bench.token).value
        await there.touchUsed()
        bench.timeline.advance(by: .seconds(1))
        gate.open()
        #expect(try await slow.value.shown("counter") == counter(0))
    }

    @Test("those on disk whose time is over are deleted in batches; the others stay")
    func ended() async throws {
        let bench = try await Bench(limits: limits)
        for _ in 0..<600 { _ = try await bench.registry.begin(language: .japanese) }
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 601)
        let (token, kept) = try await bench.registry.begin(language: .japanese)
        #expect(await bench.registry.evictIdle() == 0)
        bench.timeline.advance(by: .seconds(940))
        await bench.registry.endExpired()
        #expect(try await bench.store.count() == 1)
        #expect(try await bench.registry.session(for: token).value?.cursor == kept.cursor)
        #expect(try await bench.registry.session(for: bench.token).value == nil)
    }
}
