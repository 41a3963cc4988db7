import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A build that lacks a view model, or cannot show it,")
struct AbsentTests {
    @Test("has it told of when it is back", arguments: [true, false])
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
        #expect(answer.kind == "delta")
        #expect(answer.places.contains { $0.hasSuffix("tally.count") })
    }

    /// A build begins a new history for a cursor, and once.
    private func beginsAnew(_ catalogue: Catalogue, at cursor: Cursor, in bench: Bench) async throws {
        let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        #expect(try await there.changes(since: cursor).reason == "epoch")
        let next = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        #expect(next.cursor == there.cursor)
    }

    @Test("does not forget what it consisted of", arguments: [1, 3])
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
        "does not say what it consists of, whether it had been away or not",
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

    @Test("and has an output less, begins a new history")
    func unshowable() async throws {
        let counter = Declaration.hosting(CounterViewModel.init(model:))
        let bench = try await Bench(of: Catalogue([counter, .hosting(Share<Whole>.init(model:))]))
        _ = try await bench.session.perform(ActionID(0, of: 1))
        let after = Catalogue([counter, .hosting(Share<Half>.init(model:))])
        try await beginsAnew(after, at: bench.session.cursor, in: bench)
    }

    @Test("begins one history, not one with each load, where it cannot read one")
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
