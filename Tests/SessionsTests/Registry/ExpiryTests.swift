import TestSupport
import Testing

@testable import Sessions

@Suite("Expiry")
struct ExpiryTests {
    private let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.timeToLive = .seconds(100)
        return limits
    }()

    @Test("a session nobody uses for its time to live ends, not before")
    func idle() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .milliseconds(99_999))
        #expect(await bench.registry.endExpired() == 0)
        bench.timeline.advance(by: .milliseconds(1))
        #expect(await bench.registry.endExpired() == 1)
        #expect(try await bench.registry.session(for: bench.token).value == nil)
        #expect(try await bench.store.load(bench.session.id) == nil)
    }

    @Test("each use begins the time anew")
    func used() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(99))
        _ = try await bench.registry.session(for: bench.token).value
        bench.timeline.advance(by: .seconds(99))
        #expect(await bench.registry.endExpired() == 0)
        bench.timeline.advance(by: .seconds(1))
        #expect(await bench.registry.endExpired() == 1)
    }

    @Test("a session with a waiting poll lives, and its time begins when the poll ends")
    func waiting() async throws {
        let bench = try await Bench(limits: limits)
        let poll = await bench.session.poll(wait: .seconds(1000))
        try await bench.timeline.sleeper(until: .seconds(1000))
        bench.timeline.advance(by: .seconds(999))
        #expect(await bench.registry.endExpired() == 0)
        bench.timeline.advance(by: .seconds(1))
        _ = try await poll.value
        bench.timeline.advance(by: .seconds(99))
        #expect(await bench.registry.endExpired() == 0)
        bench.timeline.advance(by: .seconds(1))
        #expect(await bench.registry.endExpired() == 1)
    }

    @Test("the public session never expires")
    func publicSession() async throws {
        let bench = try await Bench(limits: limits)
        let session = try await bench.registry.publicSession().value
        try await bench.registry.end(bench.session)
        bench.timeline.advance(by: .seconds(1_000_000))
        #expect(await bench.registry.endExpired() == 0)
        #expect(try await bench.registry.publicSession().value === session)
    }

    @Test("an expired session makes room")
    func room() async throws {
        var limits = limits
        limits.sessions = 1
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(100))
        await bench.registry.endExpired()
        _ = try await bench.registry.begin(language: .japanese)
    }

    @Test("whether a session's time is over is for the store to say: another replica may have put it off")
    func usedElsewhere() async throws {
        let bench = try await Bench(limits: limits)
        let elsewhere = bench.replica(limits: limits)
        bench.timeline.advance(by: .seconds(60))
        _ = try await elsewhere.session(for: bench.token).value
        await elsewhere.touchUsed()
        bench.timeline.advance(by: .seconds(40))
        #expect(await bench.registry.endExpired() == 0)
        #expect(try await bench.registry.session(for: bench.token).value === bench.session)
        bench.timeline.advance(by: .seconds(200))
        #expect(await bench.registry.endExpired() == 1)
        #expect(throws: SessionFailure.self) { try bench.session.view(at: 0) }
    }

    @Test("a session of which another incarnation of the store was told leaves memory when this one is told")
    func reopened() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(60))
        bench.session.state.withLock { state in
            (state.core.incarnation, state.core.storedIn) = (7, 7)
        }
        #expect(await bench.registry.evictIdle() == 1)
    }

    @Test("no session is ended in a round in which the store could not be told who is in use")
    func untold() async throws {
        let bench = try await Bench(limits: limits)
        for _ in 0..<10 {
            bench.timeline.advance(by: .seconds(15))
            _ = try await bench.found()
            bench.store.next(.touch, .refuse)
            #expect(await bench.registry.endExpired() == 0)
        }
        #expect(try await bench.registry.session(for: bench.token).value === bench.session)
        bench.timeline.advance(by: .seconds(15))
        _ = try await bench.found()
        #expect(await bench.registry.endExpired() == 0)
        #expect(try await bench.store.load(bench.session.id) != nil)
    }

    @Test("nobody's turn is waited for, and who waits for a change of an ended session is told")
    func hung() async throws {
        let bench = try await Bench(limits: limits)
        let (token, other) = try await bench.registry.begin(language: .japanese)
        let gate = Gate()
        bench.store.next(.load, .wait(gate))
        let hung = Task { try await bench.session.reload() }
        await gate.arrivals()
        bench.timeline.advance(by: .seconds(100))
        #expect(await bench.registry.endExpired() == 2)
        #expect(try await bench.registry.session(for: token).value == nil)
        #expect(!other.isLive)
        gate.open()
        _ = try? await hung.value
    }

    @Test("a session in the middle of an action lives")
    func acting() async throws {
        let bench = try await Bench(limits: limits)
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        async let action = bench.session.act("counter/increment")
        await gate.arrivals()
        bench.timeline.advance(by: .seconds(100))
        let ended = Task.immediate { await bench.registry.endExpired() }
        gate.open()
        _ = try await action
        #expect(await ended.value == 0)
        try await bench.session.act("counter/increment")
    }

    @Test("where the store is away, an expired session is ended later")
    func storeAway() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(100))
        bench.store.isAway = true
        #expect(await bench.registry.endExpired() == 0)
        bench.store.isAway = false
        #expect(await bench.registry.endExpired() == 1)
    }

    @Test("looks by itself, a hundred times in a time to live, until it is cancelled")
    func byItself() async throws {
        let bench = try await Bench(limits: limits)
        let tidying = Task { await bench.registry.keepTidy() }
        for second in 1...100 {
            try await bench.timeline.sleeper(until: .seconds(second))
            bench.timeline.advance(by: .seconds(1))
        }
        try await bench.timeline.sleeper(until: .seconds(101))
        #expect(bench.registry.count == 0)
        tidying.cancel()
        await tidying.value
        try await bench.timeline.sleepers(count: 0)
    }
}
