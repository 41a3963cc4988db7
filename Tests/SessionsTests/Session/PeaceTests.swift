import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("A session on a shared store that nobody else moves on")
struct PeaceTests {
    /// A session here and the same one there, at peace: looks here have found nothing new.
    private struct Peace {
        let bench: Bench
        let runs = History<String>()
        let there: Session
        var here: Session { bench.session }

        init() async throws {
            let catalogue = Catalogue([
                .hosting(CounterViewModel.init(model:)), .hosting { [runs] in Chore(model: $0, runs: runs) },
            ])
            bench = try await Bench(of: catalogue, store: ScriptedStore(MemoryStore(isShared: true)))
            there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
            for _ in 0..<3 { _ = try await here.views() }
        }

        var isPausing: Bool { here.state.withLock { if case .pausing = $0.core.turn { true } else { false } } }

        /// How often the store is looked at for something.
        func looks(_ body: () async throws -> Void) async rethrows -> Int {
            let before = bench.store.count(of: .load)
            try await body()
            return bench.store.count(of: .load) - before
        }
    }

    @Test("runs an action without a look, which the store would refuse")
    func noLook() async throws {
        let peace = try await Peace()
        #expect(try await peace.looks { try await peace.here.act("counter/increment") } == 0)
        #expect(try await peace.looks { _ = try await peace.here.act("counter/increment") } == 0)
        #expect(try await peace.there.shown("counter") == counter(2))
    }

    @Test("looks again for a while after somebody has moved it on")
    func moved() async throws {
        let peace = try await Peace()
        try await peace.there.act("counter/increment")
        // Runs, meets the other's commit, reads, and runs again.
        #expect(try await peace.looks { try await peace.here.act("counter/increment") } == 1)
        #expect(try await peace.here.shown("counter") == counter(2))
        for _ in 0..<2 { #expect(try await peace.looks { try await peace.here.act("counter/increment") } == 1) }
        #expect(try await peace.looks { try await peace.here.act("counter/increment") } == 0)
    }

    @Test("looks before an action that may wait, which is not to be run twice")
    func waits() async throws {
        let peace = try await Peace()
        #expect(try await peace.looks { try await peace.here.act("chore/wait") } == 1)
        #expect(peace.runs.elements == ["wait"])
    }

    @Test(
        "looks after an action that ends without a commit, and does not run it again",
        arguments: ["rest", "refuse", "fail"])
    func lookedAtAfterwards(action: String) async throws {
        let peace = try await Peace()
        #expect(await peace.looks { _ = try? await peace.here.act("chore/\(action)") } == 1)
        #expect(peace.runs.elements == [action])
    }

    @Test("refuses by what somebody else made of it, and not by what was known here")
    func refusal() async throws {
        let peace = try await Peace()
        try await peace.there.act("counter/increment")
        #expect(String(utf8: try await peace.here.act("counter/decrement").json) == counter(0))
        for _ in 0..<3 { _ = try await peace.here.views() }
        let old = try await peace.here.view(at: 0).value.entityTag
        let new = try await peace.there.act("counter/increment").entityTag
        #expect(
            await failure { try await peace.here.perform(ActionID(0, of: 0)) { $0 == old } } == "preconditionFailed")
        _ = try await peace.here.perform(ActionID(0, of: 0)) { $0 == new }
    }

    @Test("fails by what somebody else made of it, and not by what was known here", arguments: [nil, "key"])
    func failed(key: String?) async throws {
        let peace = try await Peace()
        try await peace.there.act("chore/begin")
        if let key {
            #expect(try await peace.here.act("chore/finish", key: key).status == 200)
            #expect(try await peace.there.act("chore/finish", key: key).isReplay)
        } else {
            try await peace.here.act("chore/finish")
        }
        #expect(try await peace.there.shown("chore") == #"{"done":2}"#)
    }

    @Test(
        "is ended for an action that changes nothing, where somebody else ended it",
        arguments: ["rest", "refuse", "fail"])
    func ended(action: String) async throws {
        let peace = try await Peace()
        try await peace.there.end()
        #expect(await failure { try await peace.here.act("chore/\(action)") } == "ended")
    }

    @Test("where it meets others again and again, waits a moment before it tries again")
    func pause() async throws {
        let peace = try await Peace()
        for _ in 0..<2 {
            peace.bench.store.next(.commit, .after { _ = try? await peace.there.act("counter/increment") })
        }
        let action = Task { try await peace.here.act("counter/increment") }
        #expect(await eventually { peace.isPausing })
        #expect(
            await eventually {
                peace.bench.timeline.advance(by: .milliseconds(1))
                return !peace.isPausing
            })
        #expect(String(utf8: try await action.value.json) == counter(3))
    }
}

/// Does what changes nothing, each in its way.
private final class Chore: ViewModel {
    struct Model: StoredModel { var done = 0 }

    static let interface = Interface<Chore>("chore") {
        Output("done", \.done)
        Action("rest", Chore.rest)
        Action("refuse", Chore.refuse)
        Action("fail", Chore.fail)
        Action("wait", Chore.wait)
        Action("begin", Chore.begin)
        Action("finish", Chore.finish)
    }

    struct Failure: Error {}

    func rest() { runs.note("rest") }

    func refuse() throws {
        runs.note("refuse")
        throw ActionRefusal.disabled("Never.")
    }

    func fail() throws {
        runs.note("fail")
        throw Failure()
    }

    func wait() async {
        await Task.yield()
        runs.note("wait")
    }

    func begin() { model.done = 1 }

    func finish() throws {
        guard model.done == 1 else { throw Failure() }
        model.done = 2
    }

    var done: Int { model.done }
    private(set) var model: Model
    private let runs: History<String>

    init(model: Model, runs: History<String>) { (self.model, self.runs) = (model, runs) }
}
