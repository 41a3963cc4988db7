import Samples
import TestSupport
import Testing

@testable import Sessions

@Suite("Ending all sessions that are unused")
struct UnusedTests {
    private let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.timeToLive = .seconds(10_000)
        return limits
    }()

    @Test("ends those that nobody has used for so long, not before, in memory or not", arguments: [false, true])
    func unused(isEvicted: Bool) async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(1000))
        _ = try await bench.found()
        bench.timeline.advance(by: .seconds(99))
        if isEvicted { #expect(await bench.registry.evictIdle() == 1) }
        #expect(await bench.registry.endUnused(for: .seconds(100)).count == 0)
        bench.timeline.advance(by: .seconds(1))
        #expect(await bench.registry.endUnused(for: .seconds(100)).count == 1)
        #expect(try await bench.registry.session(for: bench.token).value == nil)
        #expect(!bench.session.isLive)
    }

    @Test("spares one that was only read since, of which the store knows nothing", arguments: [false, true])
    func read(isEvicted: Bool) async throws {
        let bench = try await Bench(limits: limits)
        for _ in 0..<4 {
            bench.timeline.advance(by: .seconds(90))
            _ = try await bench.found()
        }
        if isEvicted {
            bench.timeline.advance(by: limits.timeInMemory)
            #expect(await bench.registry.evictIdle() == 1)
        }
        #expect(await bench.registry.endUnused(for: .seconds(100)).count == 0)
        #expect(try await bench.registry.session(for: bench.token).value != nil)
    }

    @Test("spares one with a waiting poll, an open stream or an action under way")
    func waitedFor() async throws {
        let bench = try await Bench(limits: limits)
        let poll = await bench.session.poll(wait: .seconds(1000))
        try await bench.timeline.sleeper(until: .seconds(1000))
        let (_, streaming) = try await bench.registry.begin(language: .japanese)
        #expect(streaming.openStream())
        let (_, acting) = try await bench.registry.begin(language: .japanese)
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        async let action = acting.act("counter/increment")
        await gate.arrivals()
        bench.timeline.advance(by: .seconds(500))
        #expect(await bench.registry.endUnused(for: .seconds(100)).count == 0)
        gate.open()
        _ = try await action
        streaming.closeStream()
        bench.timeline.advance(by: .seconds(500))
        _ = try await poll.value
    }

    @Test("spares one that comes back while others are being ended")
    func comesBack() async throws {
        let bench = try await Bench(limits: limits)
        var tokens: [SessionToken] = []
        for _ in 0..<299 { tokens.append(try await bench.registry.begin(language: .japanese).token) }
        bench.timeline.advance(by: .seconds(100))
        #expect(await bench.registry.evictIdle() == 300)
        let gate = Gate()
        bench.store.next(.expire, .holdTheAnswer(gate))
        async let ended = bench.registry.endUnused(for: .seconds(100))
        await gate.arrivals()
        var back: SessionToken?
        for token in tokens where back == nil {
            if try await bench.registry.session(for: token).value != nil { back = token }
        }
        gate.open()
        #expect(await ended.count == 299)
        #expect(try await bench.registry.session(for: #require(back)).value != nil)
    }

    @Test("waits a twentieth of the time to live longer where the store may not know of a use before the start")
    func afterRestart() async throws {
        let bench = try await Bench(limits: limits)
        bench.timeline.advance(by: .seconds(400))
        // Used, and the process dies before the store is told.
        _ = try await bench.found()
        let next = SessionRegistry(
            catalogue: .testing(), store: bench.store, limits: limits, timeline: bench.timeline)
        bench.timeline.advance(by: .seconds(50))
        #expect(await next.endUnused(for: .seconds(300)).count == 0)
        bench.timeline.advance(by: .seconds(250))
        #expect(await next.endUnused(for: .seconds(300)).count == 1)
    }

    @Test("is told to the log and counted, with how many")
    func told() async throws {
        let bench = try await Bench(limits: limits)
        let log = bench.log()
        bench.timeline.advance(by: .seconds(100))
        _ = await bench.registry.endUnused(for: .seconds(60))
        let event = try #require(log.all.last)
        #expect(event.kind.name == "sessions-ended")
        #expect((event["reason"], event["seconds"], event["sessions"]) == ("unused", 60, 1))
        let ended = bench.registry.measures.first { $0.name == "bindery_sessions_ended_total" }
        #expect(ended?.samples.first { $0.labels.first?.value == "unused" }?.value == 1)
    }
}
