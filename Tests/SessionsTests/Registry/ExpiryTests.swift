import Sessions
import TestSupport
import Testing

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
        #expect(try await bench.registry.session(for: bench.token) == nil)
        #expect(try await bench.store.load(bench.session.id) == nil)
    }

    @Test("each use begins the time anew")
    func used() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(99))
        _ = try await bench.registry.session(for: bench.token)
        bench.timeline.advance(by: .seconds(99))
        #expect(await bench.registry.endExpired() == 0)
        bench.timeline.advance(by: .seconds(1))
        #expect(await bench.registry.endExpired() == 1)
    }

    @Test("a session with a waiting poll lives, and its time begins when the poll ends")
    func waiting() async throws {
        let bench = try await Bench(limits: limits)
        let poll = await bench.session.poll(wait: .seconds(1000))
        await bench.timeline.sleeper(until: .seconds(1000))
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
        let session = try await bench.registry.publicSession()
        try await bench.registry.end(bench.session)
        bench.timeline.advance(by: .seconds(1_000_000))
        #expect(await bench.registry.endExpired() == 0)
        #expect(try await bench.registry.publicSession() === session)
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

    @Test("a session that comes into use while others are being ended lives")
    func usedMeanwhile() async throws {
        let bench = try await Bench(limits: limits)
        let other = try await bench.registry.begin(language: .japanese)
        bench.timeline.advance(by: .seconds(100))
        let gate = Gate()
        bench.store.next(.delete, .wait(gate))
        async let ended = bench.registry.endExpired()
        await gate.arrivals()
        for token in [bench.token, other.token] { _ = try await bench.registry.session(for: token) }
        gate.open()
        #expect(await ended == 1)
        #expect(bench.registry.count == 1)
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
            await bench.timeline.sleeper(until: .seconds(second))
            bench.timeline.advance(by: .seconds(1))
        }
        await bench.timeline.sleeper(until: .seconds(101))
        #expect(bench.registry.count == 0)
        tidying.cancel()
        await tidying.value
        await bench.timeline.sleepers(count: 0)
    }
}
