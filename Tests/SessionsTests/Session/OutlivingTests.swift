import Binding
import Locking
import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// A view model whose action waits for somebody else.
private final class Caller: ViewModel {
    struct Model: StoredModel { var calls = 0 }

    static let interface = Interface<Caller>("caller") {
        Output("calls", \.calls)
        Action("call", Caller.call)
        Action("fail", Caller.fail)
        Action("refuse", Caller.refuse)
    }

    struct Failure: Error {}

    func call() async throws {
        await gate.pass()
        try Task.checkCancellation()
        model.calls += 1
        shown.value = model.calls
    }

    func fail() async throws {
        try await call()
        throw Failure()
    }

    func refuse() throws { throw ActionRefusal.disabled("Never.") }

    let calls: Constant<Int>
    private(set) var model: Model
    private let shown: Variable<Int>
    private let gate: Gate

    init(model: Model, gate: Gate) {
        self.model = model
        self.gate = gate
        shown = Variable(model.calls)
        calls = Constant(shown)
    }
}

@Suite("An action that was begun", .timeLimit(.minutes(5)))
struct OutlivingTests {
    private let gate = Gate()
    private let census = Census()

    private func bench(_ change: (inout SessionLimits) -> Void = { _ in }) async throws -> Bench {
        let catalogue = Catalogue([
            Declaration(Caller.self) { [gate, census] model, _ in
                census.count("caller")
                return Caller(model: model, gate: gate)
            },
            Declaration(CounterViewModel.self) { model, _ in CounterViewModel(model: model) },
        ])
        var limits = SessionLimits()
        change(&limits)
        return try await Bench(of: catalogue, limits: limits)
    }

    @Test("runs to its end though its caller hangs up, and its key is answered with what it came to")
    func hungUp() async throws {
        let bench = try await bench()
        let first = Task { try await bench.session.act("caller/call", key: "a") }
        await gate.arrivals()
        first.cancel()
        let again = Task { try await bench.session.act("caller/call", key: "a") }
        gate.open()
        #expect(try await again.value == Told(status: 200, body: #"{"calls":1}"#, isReplay: true))
        #expect(try await bench.session.shown("caller") == #"{"calls":1}"#)
    }

    @Test("that fails is remembered as failed: its key does not run it again")
    func failed() async throws {
        let bench = try await bench()
        gate.open()
        await #expect(throws: Caller.Failure.self) { try await bench.session.act("caller/fail", key: "a") }
        #expect(try await bench.session.act("caller/fail", key: "a").status == 500)
        #expect(gate.arrived == 1)
        #expect(try await bench.session.shown("caller") == #"{"calls":0}"#)
    }

    @Test("is given up after its time: nothing of it is stored, then or later, and its session goes on")
    func tooLong() async throws {
        let bench = try await bench { $0.actionTime = .seconds(5) }
        let hung = Task { try await bench.session.act("caller/call", key: "a") }
        await gate.arrivals()
        let next = Task { try await bench.session.act("counter/increment") }
        try await bench.timeline.sleeper(until: .seconds(5))
        bench.timeline.advance(by: .seconds(5))
        await #expect(throws: SessionFailure.self) { try await hung.value }
        #expect(String(utf8: try await next.value.json) == counter(1))
        gate.open()
        #expect(try await bench.session.act("caller/call", key: "a").status == 504)
        #expect(try await bench.session.act("caller/call", key: "b").body == #"{"calls":1}"#)
        #expect(
            try await bench.store.load(bench.session.id)?.viewModels["caller"]?.model == Array(#"{"calls":1}"#.utf8))
    }

    @Test("that is refused and changed nothing leaves every view model alive, with what it has under way")
    func refused() async throws {
        let bench = try await bench()
        gate.open()
        _ = try await bench.session.act("caller/call")
        let made = census["caller"]
        for _ in 0..<5 { #expect(await failure { try await bench.session.act("caller/refuse") } == "refused") }
        #expect(census["caller"] == made)
        #expect(String(utf8: try await bench.session.act("caller/call").json) == #"{"calls":2}"#)
    }

    @Test("keeps a line that is bounded: one more is refused, and was not begun")
    func line() async throws {
        let bench = try await bench { $0.waitingActions = 3 }
        let running = Task { try await bench.session.act("caller/call") }
        await gate.arrivals()
        let waiting = (0..<3).map { _ in Task.immediate { try await bench.session.act("counter/increment") } }
        #expect(await failure { try await bench.session.act("counter/increment") } == "lineFull")
        gate.open()
        _ = try await running.value
        for task in waiting { _ = try await task.value }
        #expect(try await bench.session.shown("counter") == counter(3))
        _ = try await bench.session.act("counter/increment")
    }

    @Test("not yet when its caller hung up in the line is not begun at all")
    func hungUpInLine() async throws {
        let bench = try await bench()
        let running = Task { try await bench.session.act("caller/call") }
        await gate.arrivals()
        let waiting = Task.immediate { try await bench.session.act("counter/increment", key: "a") }
        waiting.cancel()
        gate.open()
        _ = try await running.value
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try await bench.session.shown("counter") == counter(0))
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay == false)
    }
}
