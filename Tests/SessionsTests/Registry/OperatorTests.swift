import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("Sessions that an operator lists and ends")
struct OperatorTests {
    private let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.timeToLive = .seconds(10_000)
        return limits
    }()

    /// A registry over a store that goes by the same time.
    private func bench() async throws -> Bench {
        let timeline = ManualTimeline()
        let store = MemoryStore { TimeOfDay(secondsSince1970: timeline.secondsSince1970) }
        return try await Bench(store: ScriptedStore(store), limits: limits, timeline: timeline)
    }

    /// A session that has just left memory.
    private func passive(_ bench: Bench) async throws -> (token: SessionToken, session: Session) {
        let begun = try await bench.registry.begin(language: .japanese)
        bench.timeline.advance(by: limits.timeInMemory)
        _ = try await bench.found()
        #expect(await bench.registry.evictIdle() == 1)
        return begun
    }

    @Test("are listed with where they are, their age, their last use, their end and who waits")
    func listed() async throws {
        let bench = try await bench()
        let (_, passive) = try await passive(bench)
        bench.timeline.advance(by: .seconds(40))
        _ = try await bench.found()
        bench.timeline.advance(by: .seconds(5))
        let poll = await bench.session.poll()
        _ = bench.session.openStream()
        let (sessions, next) = try await bench.registry.list(after: 0, limit: 10)
        #expect(next == nil)
        #expect(sessions.map(\.id) == [bench.session.id, passive.id])
        #expect(sessions.map(\.isInMemory) == [true, false])
        #expect(sessions.map(\.age) == [105, 105])
        #expect(sessions.map(\.idleTime) == [0, 105])
        #expect(sessions.map(\.timeLeft) == [10_000, 9895])
        #expect(sessions.map(\.waits) == [1, 0])
        #expect(sessions.map(\.streams) == [1, 0])
        bench.session.closeStream()
        try await bench.registry.end(bench.session)
        _ = try? await poll.value
    }

    @Test("the public session never ends, and when it was used nobody knows once it has left memory")
    func publicSession() async throws {
        let bench = try await bench()
        _ = try await bench.registry.publicSession().value
        bench.timeline.advance(by: limits.timeInMemory)
        await bench.registry.evictIdle()
        let listed = try #require(try await bench.registry.list(after: 0, limit: 10).sessions.last)
        #expect((listed.id, listed.timeLeft, listed.idleTime, listed.age) == (.public, nil, nil, 60))
        await #expect(throws: RegistryFailure.isPublic) {
            try await bench.registry.end(publicID: SessionID.public.publicID)
        }
        bench.timeline.advance(by: .seconds(9000))
        #expect(await bench.registry.endUnused(for: .seconds(10)).count == 1)
        #expect(try await bench.store.load(.public) != nil)
    }

    @Test("are found by their public ids, however many there are before them")
    func found() async throws {
        let store = MemoryStore()
        let all = (0..<2500).map { _ in Steps() }
        for steps in all { try await store.commit(steps.creation()) }
        let bench = try await Bench(store: ScriptedStore(store), limits: limits)
        for steps in [all[0], all[1000], all[2499]] {
            let place = try #require(try await bench.registry.place(ofPublicID: steps.id.publicID))
            #expect(store.sessions(after: place - 1, limit: 1).map(\.id) == [steps.id])
        }
        for unknown in ["AAAAAAAAAAAAAAA", "", "no id", all[0].id.publicID + "A"] {
            #expect(try await bench.registry.place(ofPublicID: unknown) == nil)
        }
    }

    @Test("one that is in memory is ended, and whoever waits for it is told")
    func inMemory() async throws {
        let bench = try await bench()
        let log = bench.log()
        let poll = await bench.session.poll()
        #expect(try await bench.registry.end(publicID: bench.session.id.publicID))
        #expect(await failure { try await poll.value } == "ended")
        #expect(try await bench.registry.session(for: bench.token).value == nil)
        #expect(try await !bench.registry.end(publicID: bench.session.id.publicID))
        let told = log.named("sessions-ended")
        #expect(told.count == 1)
        #expect(told.first?["session"] == .text("\(bench.session.tag)"))
    }

    @Test("one whose action hangs is ended behind that action and before all that wait, of which nothing is done")
    func hung() async throws {
        let (runs, barrier) = (History<Int>(), Barrier())
        defer { barrier.open() }
        let bench = try await Bench(
            of: Catalogue([
                .errand {
                    runs.note(1)
                    barrier.pass()
                }
            ]), limits: limits)
        let first = Task { try await bench.session.perform(ActionID(0, of: 0)) }
        try await barrier.arrivals()
        let others = (0..<3).map { _ in Task.immediate { try await bench.session.perform(ActionID(0, of: 0)) } }
        let end = Task.immediate { try await bench.registry.end(publicID: bench.session.id.publicID) }
        let last = Task.immediate { try await bench.session.perform(ActionID(0, of: 0)) }
        #expect(await eventually { bench.session.state.withLock { $0.core.line.count } == 5 })
        bench.timeline.advance(by: limits.actionTime)
        #expect(await failure { try await first.value } == "timedOut")
        #expect(try await end.value)
        for other in others + [last] { #expect(await failure { try await other.value } == "ended") }
        #expect(runs.elements.count == 1)
        #expect(try await bench.store.load(bench.session.id) == nil)
    }

    @Test("one that is in the store alone is ended without being made, and one that is being read does not come back")
    func inStore() async throws {
        let bench = try await bench()
        let (token, session) = try await passive(bench)
        let gate = Gate()
        bench.store.next(.load, .holdTheAnswer(gate))
        async let late = bench.registry.session(for: token).value
        await gate.arrivals()
        #expect(try await bench.registry.end(publicID: session.id.publicID))
        gate.open()
        #expect(try await late == nil)
        #expect(bench.registry.count == 1)
        #expect(try await bench.store.load(session.id) == nil)
    }

    @Test("one that another replica moves on meanwhile is ended where it then stands")
    func movedOn() async throws {
        let bench = try await bench()
        let (token, session) = try await passive(bench)
        let elsewhere = bench.replica(limits: limits)
        bench.store.next(
            .delete,
            .after {
                _ = try? await elsewhere.session(for: token).value?.act("counter/increment")
            })
        #expect(try await bench.registry.end(publicID: session.id.publicID))
        #expect(try await bench.store.load(session.id) == nil)
        #expect(bench.store.count(of: .delete) == 2)
    }

    @Test("where the store is away nothing is ended, and that is said")
    func away() async throws {
        let bench = try await bench()
        bench.store.isAway = true
        let id = bench.session.id.publicID
        #expect(await failure { try await bench.registry.end(publicID: id) } == "unavailable")
        #expect(await failure { try await bench.registry.list(after: 0, limit: 1).next } == "unavailable")
        bench.timeline.advance(by: .seconds(100))
        let ended = await bench.registry.endUnused(for: .seconds(100))
        #expect((ended.count, ended.isDone) == (0, false))
    }
}
