import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A build whose view model consists of others")
struct ReshapedTests {
    /// What the next build makes of a session, which an action has changed or not, whose cursor and tags are the first's.
    private func check<Before: TallyBuild, After: TallyBuild>(
        _ before: Before.Type, _ after: After.Type, isTouched: Bool, whole: String, part: String
    ) async throws {
        let bench = try await Bench(of: .tally(before))
        if isTouched { _ = try await bench.session.perform(ActionID(0, of: 0)) }
        let old = bench.session.cursor
        let tags = [
            try await bench.session.view(at: 0).value.entityTag,
            try await bench.session.view(at: 0, facet: 0).value.entityTag,
            try await bench.session.view(at: 1).value.entityTag,
        ]
        let there = try #require(try await bench.replica(of: .tally(after)).session(for: bench.token).value)
        let answer = try await there.changes(since: old)
        #expect(answer.kind == "snapshot")
        #expect(answer.reason == "epoch")
        let views = [
            try await there.view(at: 0).value, try await there.view(at: 0, facet: 0).value,
            try await there.view(at: 1).value,
        ]
        #expect(views.map { String(utf8: $0.json) }.prefix(2) == [whole, part])
        for (view, tag) in zip(views, tags) { #expect(view.entityTag != tag) }
        // Once: the next process of that build finds it as it is.
        let cursor = there.cursor
        let next = try #require(try await bench.replica(of: .tally(after)).session(for: bench.token).value)
        #expect(next.cursor == cursor)
        #expect(try await next.view(at: 0).value.entityTag == views[0].entityTag)
        // And acts on.
        _ = try await next.perform(ActionID(0, of: 0))
        #expect(try await next.changes(since: cursor).kind == "delta")
    }

    @Test("which lacks an output that was shown begins a new history", arguments: [true, false])
    func removed(isTouched: Bool) async throws {
        let json = #"{"count":\#(isTouched ? 1 : 0)}"#
        try await check(Both.self, Less.self, isTouched: isTouched, whole: json, part: json)
    }

    @Test("which shows more in a facet begins a new history", arguments: [true, false])
    func widened(isTouched: Bool) async throws {
        let json = #"{"count":\#(isTouched ? 1 : 0),"half":0}"#
        try await check(Both.self, Wide.self, isTouched: isTouched, whole: json, part: json)
    }

    @Test("which shows less in a facet begins a new history", arguments: [true, false])
    func narrowed(isTouched: Bool) async throws {
        let count = isTouched ? 1 : 0
        try await check(
            Wide.self, Both.self, isTouched: isTouched, whole: #"{"count":\#(count),"half":0}"#,
            part: #"{"count":\#(count)}"#)
    }

    @Test("and one of before that runs beside it is told of each time, and lies in neither")
    func beside() async throws {
        let bench = try await Bench(of: .tally(Both.self))
        _ = try await bench.session.perform(ActionID(0, of: 0))
        var cursor = bench.session.cursor
        for _ in 0..<2 {
            let less = try #require(
                try await bench.replica(of: .tally(Less.self)).session(for: bench.token).value)
            #expect(try await less.changes(since: cursor).reason == "epoch")
            cursor = less.cursor
            let both = try #require(
                try await bench.replica(of: .tally(Both.self)).session(for: bench.token).value)
            #expect(try await both.changes(since: cursor).reason == "epoch")
            cursor = both.cursor
        }
    }

    @Test("and whose commit meets another's names nothing by a history that never was")
    func conflict() async throws {
        let store = ScriptedStore(MemoryStore(isShared: true))
        let bench = try await Bench(of: .tally(Both.self), store: store)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let gate = Gate()
        let registry = SessionRegistry(
            catalogue: .tally(Wide.self), store: store, limits: SessionLimits(), timeline: bench.timeline)
        store.next(.commit, .wait(gate))
        let finding = Task { try await registry.session(for: bench.token).value }
        await gate.arrivals()
        // Past the script: it is stored first.
        let other = try #require(try await bench.replica(of: .tally(Both.self)).session(for: bench.token).value)
        _ = try await other.perform(ActionID(0, of: 0))
        gate.open()
        let there = try #require(try await finding.value)
        let stored = try #require(try await store.load(there.id))
        for place in 0...1 {
            let tag = try await there.view(at: place).value.entityTag
            #expect(Cursor(tag.filter { $0 != "\"" })?.epoch == stored.head.history.epoch)
        }
    }

    @Test(
        "of an earlier version, to which a release was rolled back, begins a new history, and so does the later one again"
    )
    func rolledBack() async throws {
        let later = Catalogue([.hosting(Later.init(model:)), .hosting(CounterViewModel.init(model:))])
        let bench = try await Bench(of: .tally(Less.self))
        _ = try await bench.session.perform(ActionID(0, of: 0))
        var (cursor, tag) = (bench.session.cursor, try await bench.session.view(at: 0, facet: 0).value.entityTag)
        for catalogue in [later, .tally(Less.self), later] {
            let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
            #expect(try await there.changes(since: cursor).reason == "epoch")
            let next = try await there.view(at: 0, facet: 0).value.entityTag
            #expect(next != tag)
            (cursor, tag) = (there.cursor, next)
        }
    }

    @Test("and one of a later version serve one store at once without telling each other of anything again and again")
    func together() async throws {
        let store = ScriptedStore(MemoryStore(isShared: true))
        let bench = try await Bench(of: .tally(Both.self), store: store)
        let later = Catalogue([.hosting(Later.init(model:)), .hosting(CounterViewModel.init(model:))])
        let there = try #require(try await bench.replica(of: later).session(for: bench.token).value)
        let cursor = there.cursor
        for _ in 0..<3 {
            let both = try #require(
                try await bench.replica(of: .tally(Both.self)).session(for: bench.token).value)
            #expect(both.cursor == cursor)
            let next = try #require(try await bench.replica(of: later).session(for: bench.token).value)
            #expect(next.cursor == cursor)
        }
    }
}

/// A build with another facet, whose version was counted up for it.
private final class Later: ViewModel {
    struct Model: StoredModel {
        var count = 0
        static let version = 2
    }

    static let interface = Interface<Later>("tally") {
        Output("count", \.count)
        Output("half", \.half)
        Facet("part", showing: "half")
    }

    var count: Int { model.count }
    var half: Int { model.count / 2 }
    let model: Model
    init(model: Model) { self.model = model }
}
