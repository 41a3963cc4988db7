import Foundation
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

/// A counter as the first build has it.
private final class First: ViewModel {
    struct Model: StoredModel { var count = 0 }

    static let interface = Interface<First>("tally") {
        Output("count", \.count)
        Action("increment", First.increment)
    }

    func increment() { model.count += 1 }
    var count: Int { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// The next build: another member, another output, other words for the count.
private final class Second: ViewModel {
    struct Model: StoredModel {
        var count = 0
        var step = 10
        static let version = 2
    }

    static let interface = Interface<Second>("tally") {
        Output("next", \.next)
        Output("count", \.count)
        Action("increment", Second.increment)
    }

    func increment() { model.count += model.step }
    var count: String { "\(model.count)!" }
    var next: Int { model.count + model.step }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

/// A build that cannot read what the first stored.
private final class Foreign: ViewModel {
    struct Model: StoredModel { var count = "none" }

    static let interface = Interface<Foreign>("tally") {
        Output("count", \.count)
        Action("increment", Foreign.increment)
    }

    func increment() { model.count += "!" }
    var count: String { model.count }
    private(set) var model: Model
    init(model: Model) { self.model = model }
}

extension Catalogue {
    private static let beside = Declaration.hosting(CounterViewModel.init(model:))
    fileprivate static let first = Catalogue([.hosting(First.init(model:)), beside])
    fileprivate static let second = Catalogue([.hosting(Second.init(model:)), beside])
    fileprivate static let foreign = Catalogue([.hosting(Foreign.init(model:)), beside])
}

@Suite("A build over what another stored")
struct EvolutionTests {
    private func shown(_ session: Session, _ place: Int = 0) async throws -> String {
        String(utf8: try await session.view(at: place).value.json)
    }

    private func model(_ bench: Bench) async throws -> (text: String, version: Int) {
        let record = try #require(try await bench.store.load(bench.session.id)?.viewModels["tally"])
        return (String(utf8: record.model), record.version)
    }

    @Test("derives an output that it has more, tells old cursors of it, and acts with the member's default")
    func added() async throws {
        let bench = try await Bench(of: .first)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let old = bench.session.cursor
        let there = try #require(try await bench.replica(of: .second).session(for: bench.token).value)
        #expect(try await shown(there) == #"{"next":11,"count":"1!"}"#)
        #expect(try await there.changes(since: old).places == ["2 tally.next", "2 tally.count"])
        #expect(try await model(bench) == (#"{"count":1,"step":10}"#, 2))
        _ = try await there.perform(ActionID(0, of: 0))
        #expect(try await shown(there) == #"{"next":21,"count":"11!"}"#)
    }

    @Test("tells old cursors of a view model that is new, and of one that was never touched and shows something else")
    func untouched() async throws {
        let bench = try await Bench(of: Catalogue(Array(Catalogue.first.viewModels.prefix(1))))
        let before = try await bench.session.view(at: 0).value.entityTag
        let old = bench.session.cursor
        let registry = bench.replica(of: .second)
        let there = try #require(try await registry.session(for: bench.token).value)
        #expect(
            try await there.changes(since: old).places == [
                "1 tally.next", "1 tally.count", "1 counter.text", "1 counter.enabled", "1 counter.alpha",
            ])
        #expect(try await there.view(at: 0).value.entityTag != before)
        // Once, and whoever reads it next finds it as it is.
        #expect(try await bench.replica(of: .second).session(for: bench.token).value?.cursor.seq == 1)
        #expect(try await there.perform(ActionID(0, of: 1)).lastChange == 2)
    }

    @Test("says nothing where it shows the same, or where nothing is known of what was shown")
    func untouchedTheSame() async throws {
        let bench = try await Bench(of: .first)
        #expect(try await bench.replica(of: .first).session(for: bench.token).value?.cursor.seq == 0)
        let token = SessionToken.random()
        try await bench.store.commit(Steps(id: token.sessionID).creation())
        let earlier = try #require(try await bench.replica(of: .second).session(for: token).value)
        #expect(earlier.cursor.seq == 0)
        // From the next commit on it is known.
        _ = try await earlier.perform(ActionID(0, of: 0))
        let there = try await bench.replica(of: .foreign).session(for: token).value
        #expect(there?.cursor.seq == 1)
        #expect(try await bench.store.load(token.sessionID)?.initialDigests.digests.count == 2 + 1 + 3 * 2)
    }

    @Test("of an earlier version leaves what a later one derived, keeps its members and its version")
    func rolling() async throws {
        let bench = try await Bench(of: .second, store: ScriptedStore(MemoryStore(isShared: true)))
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let stored = try #require(try await bench.store.load(bench.session.id))
        let earlier = try #require(try await bench.replica(of: .first).session(for: bench.token).value)
        #expect(earlier.cursor == bench.session.cursor)
        #expect(try await shown(earlier) == #"{"count":"10!"}"#)
        #expect(try await bench.store.load(bench.session.id) == stored)
        _ = try await earlier.perform(ActionID(0, of: 0))
        #expect(try await shown(earlier) == #"{"count":11}"#)
        #expect(try await model(bench) == (#"{"count":11,"step":10}"#, 2))
        let later = try #require(try await bench.replica(of: .second).session(for: bench.token).value)
        #expect(try await shown(later) == #"{"next":21,"count":"11!"}"#)
    }

    @Test(
        "of an earlier version leaves what a later one words otherwise, whatever others do, until it acts on it itself")
    func worded() async throws {
        func catalogue<Words: Wording>(_ words: Words.Type) -> Catalogue {
            Catalogue([.hosting { Ear<Words>(model: $0, context: $1) }, .hosting(CounterViewModel.init(model:))])
        }
        let store = ScriptedStore(MemoryStore(isShared: true))
        let bench = try await Bench(of: catalogue(Old.self), store: store)
        let later = try #require(try await bench.replica(of: catalogue(New.self)).session(for: bench.token).value)
        _ = try await later.perform(ActionID(0, of: 0))
        let tag = try await later.view(at: 0).value.entityTag
        for _ in 0..<3 {
            _ = try await bench.session.perform(ActionID(0, of: 1))
            #expect(try await shown(bench.session) == #"{"label":"new 1"}"#)
            #expect(try await later.view(at: 0).value.entityTag == tag)
        }
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(try await shown(bench.session) == #"{"label":"old 2"}"#)
    }

    @Test("shows all of its outputs of what a build of fewer stores beside it, and never null")
    func beside() async throws {
        let bench = try await Bench(of: .second)
        _ = try await bench.session.views()
        let earlier = try #require(try await bench.replica(of: .first).session(for: bench.token).value)
        _ = try await earlier.perform(ActionID(0, of: 0))
        // The commit meets the other's, so that the session is read again, and derived before it is shown.
        _ = try await bench.session.perform(ActionID(0, of: 0))
        #expect(try await shown(bench.session) == #"{"next":21,"count":"11!"}"#)
        #expect(try await model(bench).text == #"{"count":11,"step":10}"#)
    }

    @Test("that cannot read a model refuses reads, actions, polls and waits for it, and serves the others")
    func unreadable() async throws {
        let bench = try await Bench(of: .first)
        _ = try await bench.session.perform(ActionID(0, of: 0))
        let stored = try #require(try await bench.store.load(bench.session.id)?.viewModels)
        let there = try #require(try await bench.replica(of: .foreign).session(for: bench.token).value)
        try there.prove(0, of: 0)
        for _ in 0..<2 {
            #expect(await failure { try await there.view(at: 0).value } == "unreadable")
            #expect(await failure { try await there.views() } == "unreadable")
            #expect(await failure { try await there.perform(ActionID(0, of: 0)) } == "unreadable")
            #expect(await failure { try await there.changes(since: nil) } == "unreadable")
            #expect(await failure { try await there.changes(since: there.cursor) } == "unreadable")
            #expect(await failure { try await there.changes(FeedQuery(since: there.cursor)).value } == "unreadable")
        }
        var counter = OutputSet()
        counter.insert(1)
        let cursor = there.cursor
        let poll = await there.poll(since: cursor, topics: counter)
        _ = try await there.perform(ActionID(0, of: 1))
        #expect(try await Said(poll.value).places == ["\(cursor.seq + 1) counter.text"])
        #expect(try await shown(there, 1) == #"{"text":"1","enabled":true,"alpha":1}"#)
        #expect(try await bench.store.load(bench.session.id)?.viewModels["tally"] == stored["tally"])
        // The build that can read it goes on where it was.
        let back = try #require(try await bench.replica(of: .first).session(for: bench.token).value)
        #expect(try await shown(back) == #"{"count":1}"#)
    }

    @Test("tells those who wait when the model becomes one that it cannot read, at once")
    func becomesUnreadable() async throws {
        let bench = try await Bench(of: .foreign)
        let poll = await bench.session.poll()
        let other = try #require(try await bench.replica(of: .first).session(for: bench.token).value)
        _ = try await other.perform(ActionID(0, of: 0))
        #expect(await failure { try await bench.session.perform(ActionID(0, of: 0)) } == "unreadable")
        #expect(await failure { try await poll.value } == "unreadable")
    }
}

/// How a build words what the ear has heard.
private protocol Wording: SendableMetatype {
    static var version: Int { get }
    static var word: String { get }
}

private enum Old: Wording { static let (version, word) = (1, "old") }
private enum New: Wording { static let (version, word) = (2, "new") }

/// May hear what others do, and shows a plain value.
private final class Ear<Words: Wording>: ViewModel {
    struct Model: StoredModel {
        var heard = 0
        static var version: Int { Words.version }
    }

    static var interface: Interface<Ear<Words>> {
        Interface("ear") {
            Output("label", \.label)
            Action("hear", Ear<Words>.hear)
        }
    }

    func hear() { model.heard += 1 }
    var label: String { "\(Words.word) \(model.heard)" }
    private(set) var model: Model
    private let center: NotificationCenter

    init(model: Model, context: ViewModelContext) {
        self.model = model
        center = context.center
    }
}
