import TestSupport
import Testing

@testable import Sessions

@Suite("A change that comes from inside a view model")
struct InsideTests {
    /// A session with a ticker that was looked at.
    private struct Ticking {
        let springs = Springs()
        let bench: Bench
        var session: Session { bench.session }

        init() async throws {
            bench = try await Bench(of: .ticking(springs))
            springs.forget()
            _ = try await bench.session.view(at: 0).value
        }

        /// What the ticker shows.
        func shown() async throws -> String { String(utf8: try await session.view(at: 0).value.json) }

        /// Asks the ticker for an action: 0 to tick, 1 to be refused.
        func act(_ action: Int) async throws { _ = try await session.perform(ActionID(action, of: 0)) }
    }

    @Test("comes to who waits without having looked, in a session that is new or that left memory untouched")
    func awake() async throws {
        let springs = Springs()
        let bench = try await Bench(of: .ticking(springs))
        for ticks in 1...2 {
            springs.forget()
            let session = try await bench.found()
            let poll = await session.poll()
            try await springs.tick()
            #expect(try Said(await poll.value).places == ["\(ticks) ticker.ticks"])
            bench.timeline.advance(by: .seconds(60))
            #expect(await bench.registry.evictIdle() == 1)
        }
        let (_, other) = try await bench.registry.begin(language: .japanese)
        bench.timeline.advance(by: .seconds(60))
        #expect(await bench.registry.evictIdle() == 1)
        #expect(!other.isLive)
    }

    @Test("is committed, and whoever waits is told")
    func told() async throws {
        let ticking = try await Ticking()
        let poll = await ticking.session.poll()
        try await ticking.springs.tick()
        #expect(try Said(await poll.value).places == ["1 ticker.ticks"])
        #expect(try await ticking.shown() == #"{"ticks":1}"#)
        let model = try await ticking.bench.store.load(ticking.session.id)?.viewModels["ticker"]?.model
        #expect(model.map { String(utf8: $0) } == #"{"ticks":1}"#)
    }

    @Test("is shown when it is stored, and not before")
    func slow() async throws {
        let ticking = try await Ticking()
        let gate = Gate()
        ticking.bench.store.next(.commit, .wait(gate))
        let tick = Task.immediate { try await ticking.springs.tick() }
        await gate.arrivals()
        #expect(try await ticking.shown() == #"{"ticks":0}"#)
        gate.open()
        try await tick.value
        #expect(try await ticking.shown() == #"{"ticks":1}"#)
    }

    @Test("waits for its turn, and comes between two actions")
    func turn() async throws {
        let ticking = try await Ticking()
        let gate = Gate()
        ticking.bench.store.next(.load, .wait(gate))
        async let turn: Void = ticking.session.reload()
        await gate.arrivals()
        let tick = Task.immediate { try await ticking.springs.tick() }
        let action = Task.immediate { try await ticking.act(0) }
        #expect(ticking.session.cursor.seq == 0)
        gate.open()
        try await turn
        try await tick.value
        try await action.value
        #expect(try await ticking.shown() == #"{"ticks":2}"#)
        #expect(ticking.session.cursor.seq == 2)
    }

    @Test("of a session that has ended is cancelled")
    func ended() async throws {
        let ticking = try await Ticking()
        try await ticking.bench.registry.end(ticking.session)
        await #expect(throws: CancellationError.self) { try await ticking.springs.tick() }
    }

    @Test("of a session that left memory is cancelled; the one made anew goes on")
    func evict() async throws {
        let ticking = try await Ticking()
        try await ticking.springs.tick()
        ticking.bench.timeline.advance(by: .seconds(60))
        #expect(await ticking.bench.registry.evictIdle() == 1)
        await #expect(throws: CancellationError.self) { try await ticking.springs.tick() }
        let found = try await ticking.bench.found()
        try await ticking.springs.tick()
        #expect(String(utf8: try await found.view(at: 0).value.json) == #"{"ticks":2}"#)
    }

    @Test("that is not stored is not shown; the ticker is made anew and goes on, though nobody acts on it")
    func notStored() async throws {
        let ticking = try await Ticking()
        let poll = await ticking.session.poll()
        ticking.bench.store.next(.commit, .refuse)
        #expect(await failure { try await ticking.springs.tick() } == "unavailable")
        #expect(await eventually { ticking.springs.count == 2 })
        #expect(try await ticking.shown() == #"{"ticks":0}"#)
        await #expect(throws: CancellationError.self) { try await ticking.springs.tick(0) }
        #expect(ticking.session.waitingCount == 1)
        try await ticking.springs.tick()
        #expect(try Said(await poll.value).places == ["1 ticker.ticks"])
    }

    @Test("of a ticker that was thrown away is over, and no store is asked for it")
    func thrownAway() async throws {
        let ticking = try await Ticking()
        #expect(await failure { try await ticking.act(1) } == "refused")
        ticking.bench.store.next(.commit, .refuse)
        #expect(await failure { try await ticking.act(0) } == "unavailable")
        // From here on whoever needs the session reads it again.
        let loads = ticking.bench.store.count(of: .load)
        await #expect(throws: CancellationError.self) { try await ticking.springs.tick(0) }
        #expect(ticking.bench.store.count(of: .load) == loads)
    }

    @Test("goes on after an action was refused, for which the ticker was made anew")
    func refused() async throws {
        let ticking = try await Ticking()
        try await ticking.act(0)
        let poll = await ticking.session.poll()
        #expect(await failure { try await ticking.act(1) } == "refused")
        #expect(ticking.springs.count == 2)
        await #expect(throws: CancellationError.self) { try await ticking.springs.tick(0) }
        try await ticking.springs.tick()
        #expect(try Said(await poll.value).places == ["2 ticker.ticks"])
        #expect(try await ticking.shown() == #"{"ticks":2}"#)
    }

    @Test("by an instance that is no more is cancelled, also where another has taken its place in memory")
    func reusedPlace() async throws {
        let ticking = try await Ticking()
        for index in 0..<50 {
            #expect(await failure { try await ticking.act(1) } == "refused")
            for gone in 0...index {
                await #expect(throws: CancellationError.self) { try await ticking.springs.tick(gone) }
            }
        }
        #expect(ticking.session.cursor.seq == 0)
    }

    @Test("where another replica moved the session on is cancelled; the ticker made anew stands where that one left it")
    func conflict() async throws {
        let ticking = try await Ticking()
        let replica = ticking.bench.replica(of: .ticking(Springs()))
        let there = try #require(try await replica.session(for: ticking.bench.token).value)
        _ = try await there.perform(ActionID(0, of: 0))
        await #expect(throws: CancellationError.self) { try await ticking.springs.tick() }
        #expect(try await ticking.shown() == #"{"ticks":1}"#)
        try await ticking.springs.tick()
        #expect(try await ticking.shown() == #"{"ticks":2}"#)
    }
}
