import Sessions
import TestSupport
import Testing
import ViewModels

/// What a build makes of the tally.
private protocol Build: SendableMetatype {
    static var interface: Interface<Tally<Self>> { get }
}

/// A view model whose outputs and facets are its build's.
private final class Tally<Form: Build>: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static var interface: Interface<Tally<Form>> { Form.interface }

    func increment() { model.count += 1 }
    var count: Int { model.count }
    var half: Int { model.count / 2 }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

private enum Both: Build {
    static let interface = Interface<Tally<Both>>("tally") {
        Output("count", \.count)
        Output("half", \.half)
        Facet("part", showing: "count")
        Action("increment", Tally<Both>.increment)
    }
}

/// Without the half.
private enum Less: Build {
    static let interface = Interface<Tally<Less>>("tally") {
        Output("count", \.count)
        Facet("part", showing: "count")
        Action("increment", Tally<Less>.increment)
    }
}

/// With the half in the facet, too.
private enum Wide: Build {
    static let interface = Interface<Tally<Wide>>("tally") {
        Output("count", \.count)
        Output("half", \.half)
        Facet("part", showing: "count", "half")
        Action("increment", Tally<Wide>.increment)
    }
}

extension Catalogue {
    fileprivate static func tally<Form: Build>(_ form: Form.Type) -> Catalogue {
        Catalogue([.hosting(Tally<Form>.init(model:)), .hosting(CounterViewModel.init(model:))])
    }
}

@Suite("A build whose view model consists of others")
struct ReshapedTests {
    /// What the next build makes of a session, which an action has changed or not, whose cursor and tags are the first's.
    private func check<Before: Build, After: Build>(
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

    @Test("and lacks a view model for a while has it told of when it is back", arguments: [true, false])
    func away(isTouched: Bool) async throws {
        let less = Catalogue([.hosting(CounterViewModel.init(model:))])
        let more = Catalogue(less.viewModels + [.hosting(Tally<Both>.init(model:))])
        let bench = try await Bench(of: more)
        if isTouched { _ = try await bench.session.perform(ActionID(0, of: 1)) }
        let there = try #require(try await bench.replica(of: less).session(for: bench.token).value)
        // What a page shows that is opened now.
        let cursor = there.cursor
        let back = try #require(try await bench.replica(of: more).session(for: bench.token).value)
        let answer = try await back.changes(since: cursor)
        #expect(answer.kind == (isTouched ? "snapshot" : "delta"))
        #expect(answer.places.contains { $0.hasSuffix("tally.count") })
    }

    /// A build begins a new history for a cursor, and once.
    private func beginsAnew(_ catalogue: Catalogue, at cursor: Cursor, in bench: Bench) async throws {
        let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        #expect(try await there.changes(since: cursor).reason == "epoch")
        let next = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        #expect(next.cursor == there.cursor)
    }

    @Test("and lacks a view model for a while does not forget what it consisted of", arguments: [1, 3])
    func awayAndLess(times: Int) async throws {
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let bench = try await Bench(of: Catalogue([counter, .hosting(Tally<Both>.init(model:))]))
        let old = bench.session.cursor
        for _ in 0..<times {
            let less = try #require(try await bench.replica(of: Catalogue([counter])).session(for: bench.token).value)
            _ = try await less.perform(ActionID(0, of: 0))
        }
        let after = Catalogue([counter, .hosting(Tally<Less>.init(model:))])
        try await beginsAnew(after, at: old, in: bench)
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

    @Test(
        "that cannot read a view model does not say what it consists of, whether it had been away or not",
        arguments: [true, false])
    func unreadableBetween(isAway: Bool) async throws {
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let bench = try await Bench(of: Catalogue([counter, .hosting(Tally<Both>.init(model:))]))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        var cursor = bench.session.cursor
        if isAway {
            cursor = try #require(try await bench.replica(of: Catalogue([counter])).session(for: bench.token).value)
                .cursor
        }
        let unable = Catalogue([counter, .hosting(Unable.init(model:))])
        for _ in 0..<2 {
            let there = try #require(try await bench.replica(of: unable).session(for: bench.token).value)
            _ = try await there.perform(ActionID(0, of: 0))
        }
        let mended = Catalogue([counter, .hosting(Tally<Less>.init(model:))])
        try await beginsAnew(mended, at: cursor, in: bench)
    }

    @Test("with an output less, and another that cannot be encoded, begins a new history")
    func unshowable() async throws {
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let bench = try await Bench(of: Catalogue([counter, .hosting(Share<Whole>.init(model:))]))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        let after = Catalogue([counter, .hosting(Share<Half>.init(model:))])
        try await beginsAnew(after, at: bench.session.cursor, in: bench)
    }

    @Test("begins one history, not one with each load, where a view model of the session cannot be read")
    func unreadable() async throws {
        let before = Catalogue([.hosting(Tally<Less>.init(model:)), .hosting(CounterViewModel.init(model:))])
        let bench = try await Bench(of: before)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        var cursors: Set<Cursor> = []
        for _ in 0..<4 {
            let catalogue = Catalogue([.hosting(Strict.init(model:)), .hosting(CounterViewModel.init(model:))])
            let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
            cursors.insert(there.cursor)
        }
        #expect(cursors == [bench.session.cursor])
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

/// What a build makes of the share.
private protocol Ratio: SendableMetatype {
    static var interface: Interface<Share<Self>> { get }
    static var ratio: Double { get }
}

private final class Share<Form: Ratio>: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static var interface: Interface<Share<Form>> { Form.interface }

    func increment() { model.count += 1 }
    var count: Int { model.count }
    var ratio: Double { Form.ratio }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

private enum Whole: Ratio {
    static let ratio = 1.0
    static let interface = Interface<Share<Whole>>("share") {
        Output("ratio", \.ratio)
        Output("count", \.count)
        Action("increment", Share<Whole>.increment)
    }
}

private enum Half: Ratio {
    static let ratio = Double.nan
    static let interface = Interface<Share<Half>>("share") { Output("ratio", \.ratio) }
}

/// A build that cannot read the tally, and has an output more.
private final class Strict: ViewModel {
    struct Model: StoredModel { var count = "none" }

    static let interface = Interface<Strict>("tally") {
        Output("count", \.count)
        Output("length", \.length)
    }

    var count: String { model.count }
    var length: Int { model.count.count }
    let model: Model
    init(model: Model) { self.model = model }
}

/// A build that cannot read the tally, and is as the one that mends it.
private final class Unable: ViewModel {
    struct Model: StoredModel { var count = "none" }

    static let interface = Interface<Unable>("tally") {
        Output("count", \.count)
        Facet("part", showing: "count")
    }

    var count: String { model.count }
    let model: Model
    init(model: Model) { self.model = model }
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
