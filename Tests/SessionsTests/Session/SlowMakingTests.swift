import Events
import Foundation
import Samples
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
            let (token, session) = try await bench.registry.begin(language: .japanese)
            try await session.act("counter/increment")
            tokens.append(token)
        }
        let replica = bench.replica(of: blocking)
        let loads = tokens.map { token in Task { try await replica.session(for: token).value?.shown("counter") } }
        try await barrier.arrivals(tokens.count)
        let (_, other) = try await replica.begin(language: .japanese)
        try await other.act("counter/increment")
        #expect(try await other.shown("counter").contains(#""1""#))
        barrier.open()
        for load in loads { #expect(try await load.value?.contains(#""1""#) == true) }
    }

    @Test(
        "is given up after the time of an action: who waits is told, the log too, and its session makes none until it returns"
    )
    func hung() async throws {
        defer { barrier.open() }
        let (bench, replica) = try await hanging()
        let log = RecordedEvents()
        replica.tellEvents(at: EventPace(log: log, by: bench.timeline))
        let load = Task { await failure { try await replica.session(for: bench.token).value } }
        try await barrier.arrivals()
        try await bench.timeline.sleeper(until: .seconds(30))
        bench.timeline.advance(by: .seconds(30))
        #expect(await load.value == "notMade")
        #expect(log.named("making-timed-out").map { $0["viewModel"] } == ["counter"])
        #expect(await failure { try await replica.session(for: bench.token).value } == "notMade")
        barrier.open()
        #expect(await eventually { log.named("making-returned").count == 1 })
        #expect(await eventually { await failure { try await replica.session(for: bench.token).value } == nil })
        #expect(try await replica.session(for: bench.token).value?.shown("counter").contains(#""1""#) == true)
    }

    @Test("has the time of an action for itself, however long the session's others took before it")
    func each() async throws {
        defer { barrier.open() }
        let bench = try await Bench(of: .samples)
        try await bench.session.act("counter/increment")
        try await bench.session.act("greeting/increase-title")
        let replica = bench.replica(
            of: Catalogue([
                Declaration(CounterViewModel.self) { [barrier] model, _ in
                    if model.count > 0 { barrier.pass() }
                    return CounterViewModel(model: model)
                },
                Declaration(GreetingViewModel.self) { [barrier] model, _ in
                    if model.title.hasSuffix("!!") { barrier.pass() }
                    return GreetingViewModel(model: model)
                },
            ]))
        let load = Task { await failure { try await replica.session(for: bench.token).value } }
        try await barrier.arrivals()
        try await bench.timeline.sleeper(until: .seconds(30))
        bench.timeline.advance(by: .seconds(20))
        barrier.letOneThrough()
        try await barrier.arrivals()
        bench.timeline.advance(by: .seconds(15))
        // The second has until 30 s after it was begun.
        try await bench.timeline.sleeper(until: .seconds(50))
        barrier.open()
        #expect(await load.value == nil)
    }

    @Test("holds no thread of actions, nor of changes from inside, nor of what makes others'")
    func threads() async throws {
        defer { barrier.open() }
        let (bench, replica) = try await hanging(actionThreads: 4)
        let load = Task { await failure { try await replica.session(for: bench.token).value } }
        try await barrier.arrivals()
        let (_, other) = try await replica.begin(language: .japanese)
        for _ in 0..<20 { try await other.act("counter/increment") }
        barrier.open()
        #expect(await load.value == nil)
    }

    @Test("is waited for by no answer to an action that failed")
    func afterFailure() async throws {
        defer { barrier.open() }
        let runs = History<Int>()
        let errand = Declaration.hosting { [barrier] model in
            if !runs.elements.isEmpty { barrier.pass() }
            return ErrandViewModel(model: model) {
                runs.note(1)
                throw ActionRefusal.disabled("Not now.")
            }
        }
        let registry = SessionRegistry(catalogue: Catalogue([errand]), store: MemoryStore())
        let session = try await registry.begin(language: .japanese).session
        #expect(await failure { try await session.perform(ActionID(0, of: 0)) } == "refused")
    }

    /// A session that was acted on, and a registry whose counter cannot be made of what is stored of it.
    private func hanging(actionThreads: Int = 256) async throws -> (Bench, SessionRegistry) {
        let bench = try await Bench(of: .testing())
        try await bench.session.act("counter/increment")
        var limits = SessionLimits()
        limits.actionThreads = actionThreads
        return (bench, bench.replica(of: blocking, limits: limits))
    }
}
