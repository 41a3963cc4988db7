import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("A session that changes by itself, on two replicas of a shared store")
struct LeaseTests {
    /// A session here and the same one there, each with a ticker that ticks when a test says so.
    private struct Tickers {
        let bench: Bench
        let other: SessionRegistry
        let here = Springs()
        let there = Springs()
        let session: Session

        init(limits: SessionLimits = SessionLimits()) async throws {
            func catalogue(_ springs: Springs) -> Catalogue {
                Catalogue(
                    Catalogue.ticking(springs).viewModels + [.hosting(CounterViewModel.init(model:))])
            }
            bench = try await Bench(
                of: catalogue(here), store: ScriptedStore(MemoryStore(isShared: true)), limits: limits)
            other = bench.replica(of: catalogue(there), limits: limits)
            session = try #require(try await other.session(for: bench.token).value)
            _ = try await bench.session.views()
            _ = try await session.views()
        }
    }

    @Test("changes on the replica that was first, and the other's change waits until that one lets it go")
    func oneAtATime() async throws {
        let tickers = try await Tickers()
        try await tickers.here.tick()
        try await tickers.here.tick()
        let waiting = Task { try await tickers.there.tick() }
        #expect(await eventually { tickers.session.state.withLock { $0.core.changesWaiting.count == 1 } })
        #expect(try await tickers.session.shown("ticker") == #"{"ticks":2}"#)
        // As a replica does that goes away, or a session that leaves memory.
        #expect(tickers.bench.session.evict(ifIdleFor: .zero))
        // It was made anew when the other's ticks were read: what waited is of an instance that is no more.
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await tickers.there.tick()
        #expect(try await tickers.session.shown("ticker") == #"{"ticks":3}"#)
    }

    @Test("goes on changing where it does, though another replica acts on another of its view models")
    func kept() async throws {
        let tickers = try await Tickers()
        let count = tickers.here.count
        try await tickers.here.tick()
        try await tickers.session.act("counter/increment")
        try await tickers.here.tick()
        try await tickers.session.act("counter/increment")
        try await tickers.here.tick()
        // By the instance that was there: made anew at each action of others, it might never come to tick.
        #expect(tickers.here.count == count)
        #expect(try await tickers.session.shown("ticker") == #"{"ticks":3}"#)
    }

    @Test("is made anew where another replica acts on what changes by itself, and goes on from there")
    func actedOn() async throws {
        let tickers = try await Tickers()
        try await tickers.here.tick()
        let count = tickers.here.count
        try await tickers.session.act("ticker/touch")
        await #expect(throws: CancellationError.self) { try await tickers.here.tick() }
        #expect(await eventually { tickers.here.count == count + 1 })
        try await tickers.here.tick()
        #expect(try await tickers.session.shown("ticker") == #"{"ticks":3}"#)
    }

    @Test("changes on the other replica where the store failed a change of the first, which may not try again")
    func failed() async throws {
        let tickers = try await Tickers()
        try await tickers.here.tick()
        let waiting = Task { try await tickers.there.tick() }
        #expect(await eventually { tickers.session.state.withLock { $0.core.changesWaiting.count == 1 } })
        tickers.bench.store.next(.load, .refuse)
        await #expect(throws: SessionFailure.self) { try await tickers.here.tick() }
        // It was made before the first ticked.
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await tickers.there.tick()
        #expect(try await tickers.session.shown("ticker") == #"{"ticks":2}"#)
    }

    @Test("does not take a late answer to an ask that it gave up for one to the next")
    func late() async throws {
        let tickers = try await Tickers()
        let here = tickers.bench.session
        try await tickers.here.tick()
        let ask = here.state.withLock { $0.core.leaseAsks }
        tickers.bench.store.next(.load, .refuse)
        await #expect(throws: SessionFailure.self) { try await tickers.here.tick() }
        _ = try await here.views()
        _ = try await tickers.session.views()
        try await tickers.there.tick()
        let waiting = Task { try await tickers.here.tick() }
        #expect(await eventually { here.state.withLock { $0.core.changesWaiting.count == 1 } })
        here.handle { $0.leased(true, by: ask) }
        #expect(here.state.withLock { $0.core.changesWaiting.count } == 1)
        waiting.cancel()
        #expect(here.evict(ifIdleFor: .zero))
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("leaves what waits where it leaves memory")
    func evicted() async throws {
        let tickers = try await Tickers()
        try await tickers.here.tick()
        let waiting = Task { try await tickers.there.tick() }
        #expect(await eventually { tickers.session.state.withLock { $0.core.changesWaiting.count == 1 } })
        #expect(tickers.session.evict(ifIdleFor: .zero))
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await tickers.here.tick()
        #expect(try await tickers.bench.session.shown("ticker") == #"{"ticks":2}"#)
    }
}
