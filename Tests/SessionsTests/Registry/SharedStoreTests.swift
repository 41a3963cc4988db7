import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("On a store that others use, too, a session")
struct SharedStoreTests {
    private func replicas() async throws -> (Bench, here: Session, there: Session) {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        return (bench, bench.session, there)
    }

    @Test("shows, after an answer of the other replica, nothing older")
    func views() async throws {
        let (_, here, there) = try await replicas()
        for count in 1...3 {
            let done = try await there.act("counter/increment")
            #expect(try await here.view(at: 0).value.entityTag == done.entityTag)
            #expect(try await here.views().cursor == there.cursor)
            #expect(try await here.changes(since: nil).cursor == there.cursor.description)
            #expect(try await here.view(at: 0).value.json.starts(with: Array(#"{"text":"\#(count)""#.utf8)))
        }
    }

    @Test("refuses by the latest state, and lets through what it allows")
    func conditions() async throws {
        let (_, here, there) = try await replicas()
        let old = try await here.view(at: 0).value.entityTag
        let new = try await there.act("counter/increment").entityTag
        #expect(await failure { try await here.perform(ActionID(0, of: 0)) { $0 == old } } == "preconditionFailed")
        _ = try await here.perform(ActionID(0, of: 0)) { $0 == new }
        #expect(try await there.shown("counter").hasPrefix(#"{"text":"2""#))
    }

    @Test("is ended here where it was ended there")
    func end() async throws {
        let (_, here, there) = try await replicas()
        try await there.end()
        #expect(await failure { try await here.view(at: 0).value } == "ended")
        // Whoever comes since then is to look again: it may have been begun anew.
        #expect(await failure { try await here.perform(ActionID(0, of: 0)) } == "evicted")
        #expect(await failure { try await here.changes(since: here.cursor) } == "evicted")
    }

    @Test("where a look found it gone, is found again by whoever asked after that look began")
    func begunAnew() async throws {
        let (bench, _, _) = try await replicas()
        let other = bench.replica()
        let here = try await bench.registry.publicSession().value
        try await other.end(other.publicSession().value)
        let gate = Gate()
        bench.store.next(.load, .holdTheAnswer(gate))
        let before = Task.immediate { try await here.view(at: 0).value }
        await gate.arrivals()
        _ = try await other.publicSession().value
        let after = Task.immediate { try await here.view(at: 0).value }
        gate.open()
        #expect(await failure { try await before.value } == "ended")
        #expect(await failure { try await after.value } == "evicted")
        #expect(try await bench.registry.publicSession().value.shown("counter") == counter(0))
    }

    @Test("where it was ended here, is found again by whoever asked meanwhile")
    func endedAndBegunAnew() async throws {
        let (bench, _, _) = try await replicas()
        let here = try await bench.registry.publicSession().value
        let gate = Gate()
        bench.store.next(.delete, .holdTheAnswer(gate))
        let end = Task.immediate { try await here.end() }
        await gate.arrivals()
        _ = try await bench.replica().publicSession().value
        let after = Task.immediate { try await here.view(at: 0).value }
        gate.open()
        try await end.value
        #expect(await failure { try await after.value } == "evicted")
    }

    @Test("tells its polls of what the other replica does, and of the end that it makes")
    func polls() async throws {
        let (_, here, there) = try await replicas()
        let poll = await here.poll()
        _ = try await there.act("counter/increment")
        #expect(try await Said(poll.value).places == ["1 counter.text", "1 counter.enabled", "1 counter.alpha"])
        let last = await here.poll()
        try await there.end()
        #expect(await failure { try await last.value } == "ended")
    }

    @Test("tells its polls of what the other replica did while the store did not answer here")
    func missed() async throws {
        let (bench, here, there) = try await replicas()
        let poll = await here.poll()
        bench.store.next(.load, .refuse, .refuse)
        _ = try await there.act("counter/increment")
        #expect(
            await eventually {
                bench.timeline.advance(by: .milliseconds(100))
                return here.waitingCount == 0
            })
        #expect(try await Said(poll.value).places == ["1 counter.text", "1 counter.enabled", "1 counter.alpha"])
    }

    @Test("looks at the store once for all who ask meanwhile")
    func crowd() async throws {
        let (bench, here, _) = try await replicas()
        _ = try await here.view(at: 0).value
        let before = bench.store.count(of: .load)
        let gate = Gate()
        bench.store.next(.load, .wait(gate))
        var views = [Task.immediate { try await here.view(at: 0).value }]
        await gate.arrivals()
        views += (1...50).map { _ in Task.immediate { try await here.view(at: 0).value } }
        gate.open()
        for view in views { _ = try await view.value }
        #expect(bench.store.count(of: .load) == before + 2)
    }

    @Test("brings a view model to life that another's action has made change by itself")
    func awake() async throws {
        let begun = [History<Int>(), History<Int>()]
        func catalogue(_ place: Int) -> Catalogue {
            Catalogue([
                .hosting { (model: Watch.Model, context) in Watch(model: model, context: context, begun: begun[place]) }
            ])
        }
        let bench = try await Bench(of: catalogue(0), store: ScriptedStore(MemoryStore(isShared: true)))
        let there = try #require(try await bench.replica(of: catalogue(1)).session(for: bench.token).value)
        _ = try await there.views()
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(begun.map(\.elements.count) == [1, 0])
        _ = try await there.view(at: 0).value
        #expect(begun.map(\.elements.count) == [1, 1])
    }

    @Test("tells what a newer build has more as a change, each time that an older one has acted")
    func older() async throws {
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let bench = try await Bench(
            of: Catalogue([counter, .hosting(Tally<Both>.init(model:))]),
            store: ScriptedStore(MemoryStore(isShared: true)))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        let older = try #require(try await bench.replica(of: Catalogue([counter])).session(for: bench.token).value)
        for _ in 0..<3 {
            let tag = try await older.perform(ActionID(0, of: 0)).entityTag
            let answer = try await bench.session.changes(since: older.cursor)
            #expect(answer.kind == "delta")
            #expect(answer.changes.map(\.output) == ["count", "half"])
            #expect(try await bench.session.view(at: 0).value.entityTag == tag)
        }
    }
}

/// Asks to change by itself where its model says so.
private final class Watch: ViewModel {
    struct Model: StoredModel { var runs = false }

    static let interface = Interface<Watch>("watch") {
        Output("runs", \.runs)
        Action("start", Watch.start)
    }

    func start() {
        model.runs = true
        begin()
    }

    private func begin() {
        begun.note(1)
        _ = context.changes(of: self)
    }

    var runs: Bool { model.runs }
    private(set) var model: Model
    private let context: ViewModelContext
    private let begun: History<Int>

    init(model: Model, context: ViewModelContext, begun: History<Int>) {
        (self.model, self.context, self.begun) = (model, context, begun)
        if model.runs { begin() }
    }
}
