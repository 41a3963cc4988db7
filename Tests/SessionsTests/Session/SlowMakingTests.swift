import Foundation
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("A view model that takes long to make", .timeLimit(.minutes(5)))
struct SlowMakingTests {
    private let barrier = Barrier()

    /// The counter, whose initializer blocks where something was stored of it.
    private var blocking: Catalogue {
        Catalogue([
            Declaration(CounterViewModel.self) { [barrier] model, _ in
                if model.count > 0 { barrier.pass() }
                return CounterViewModel(model: model)
            }
        ])
    }

    @Test("holds up its own session alone, also where more are loaded than Swift's pool has threads")
    func loaded() async throws {
        defer { barrier.open() }
        let bench = try await Bench(of: .testing())
        var tokens: [SessionToken] = []
        // More than Swift's pool has threads.
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 {
            let (token, session) = try await bench.registry.begin(language: .standard)
            try await session.act("counter/increment")
            tokens.append(token)
        }
        let replica = bench.replica(of: blocking)
        let loads = tokens.map { token in Task { try await replica.session(for: token).value?.shown("counter") } }
        try await barrier.arrivals(tokens.count)
        let (_, other) = try await replica.begin(language: .standard)
        try await other.act("counter/increment")
        #expect(try await other.shown("counter").contains(#""1""#))
        barrier.open()
        for load in loads { #expect(try await load.value?.contains(#""1""#) == true) }
    }

    @Test("once slow is told of once, and from then on nothing is done to view models where others are served")
    func slow() async throws {
        let (timeline, threads) = (ManualTimeline(), History<String?>())
        let catalogue = Catalogue([
            .errand { threads.note(threadName()) },
            Declaration(CounterViewModel.self) { model, _ in
                if model.count == 1 { timeline.advance(by: .milliseconds(4)) }
                return CounterViewModel(model: model)
            },
        ])
        let bench = try await Bench(of: catalogue, timeline: timeline)
        let log = bench.log()
        try bench.session.prove(0, of: 0)
        try await bench.session.act("errand/run")
        try await bench.session.act("errand/run")
        #expect(threads.elements.last != "bindery-action")
        for _ in 0..<2 {
            try await bench.found().act("counter/increment")
            timeline.advance(by: bench.session.environment.limits.timeInMemory)
            await bench.registry.evictIdle()
        }
        #expect(log.named("making-slow").map { $0["viewModel"] } == ["counter"])
        #expect(log.named("making-slow").map { $0["milliseconds"] } == [4])
        try await bench.found().act("errand/run")
        #expect(threads.elements.last == "bindery-action")
    }
}
