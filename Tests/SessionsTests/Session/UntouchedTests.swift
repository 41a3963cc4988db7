import Foundation
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("What nobody has touched")
struct UntouchedTests {
    /// Breaks the rule that equal models give equal outputs.
    private final class Clock: ViewModel {
        struct Model: StoredModel {}
        static let interface = Interface<Clock>("clock") { Output("now", \.now) }
        var now: Double { Date().timeIntervalSince1970 }
        let model: Model
        init(model: Model) { self.model = model }
    }

    /// Cannot be encoded.
    private final class Ratio: ViewModel {
        struct Model: StoredModel {}
        static let interface = Interface<Ratio>("ratio") { Output("ratio", \.ratio) }
        var ratio: Double { .nan }
        let model: Model
        init(model: Model) { self.model = model }
    }

    private static let counter = Declaration.hosting(CounterViewModel.init(model:))

    @Test("is shown, polled and waited for without an instance, also after the session left memory")
    func noInstance() async throws {
        let bench = try await Bench()
        let cursor = bench.session.cursor
        _ = try await bench.session.views()
        _ = try await bench.session.changes(since: cursor)
        bench.timeline.advance(by: .seconds(120))
        _ = await bench.registry.evictIdle()
        let found = try await bench.found()
        #expect(found !== bench.session)
        #expect(try await found.changes(since: cursor).kind == "idle")
        #expect(try await found.changes(since: nil).kind == "snapshot")
        let poll = await found.poll()
        #expect(["counter", "login", "nasty"].map { bench.census[$0] } == [0, 0, 0])
        try await found.act("counter/increment")
        _ = try await poll.value
        #expect(["counter", "login", "nasty"].map { bench.census[$0] } == [1, 0, 0])
    }

    @Test("has one content under one entity tag, also where its view model breaks the rules")
    func oneContent() async throws {
        let bench = try await Bench(of: Catalogue([.hosting(Clock.init(model:)), Self.counter]))
        let first = try await bench.session.view(at: 0).value
        bench.timeline.advance(by: .seconds(120))
        _ = await bench.registry.evictIdle()
        let again = try await bench.found().view(at: 0).value
        #expect(again.json == first.json)
        #expect(again.entityTag == first.entityTag)
        // In a process of its own it shows another time, and a change.
        let cursor = bench.session.cursor
        let catalogue = Catalogue([.hosting(Clock.init(model:)), Self.counter])
        let there = try #require(try await bench.replica(of: catalogue).session(for: bench.token).value)
        let later = try await there.view(at: 0).value
        #expect(later.json != first.json)
        #expect(later.entityTag != first.entityTag)
        #expect(try await there.changes(since: cursor).places == ["1 clock.now"])
    }

    @Test("is what is acted on, also where the first model is another each time")
    func firstModel() async throws {
        let session = try await Bench(of: Catalogue([.hosting(Pairing.init(model:))])).session
        let before = try await session.view(at: 0).value
        let after = try await session.perform(ActionID(0, of: 0))
        #expect(after.json == before.json)
        #expect(after.entityTag == before.entityTag)
    }

    @Test("and cannot be encoded fails who asks for it, and nobody who waits for others")
    func unshowable() async throws {
        let bench = try await Bench(of: Catalogue([Self.counter, .hosting(Ratio.init(model:))]))
        let session = bench.session
        #expect(try await session.changes(since: session.cursor).kind == "idle")
        let poll = await session.poll()
        _ = try await session.perform(ActionID(0, of: 0))
        #expect(try await Said(poll.value).places.contains("1 counter.text"))
        await #expect(throws: OutputUnshowable.self) { try await session.view(at: 1).value }
        await #expect(throws: OutputUnshowable.self) { try await session.views() }
        await #expect(throws: OutputUnshowable.self) { try await session.changes(since: nil) }
    }

    @Test("and differs from process to process is settled by one commit of two replicas, not by one after the other")
    func perProcess() async throws {
        let store = ScriptedStore(MemoryStore(isShared: true))
        let (here, elsewhere) = (Catalogue.host("a"), Catalogue.host("b"))
        let bench = try await Bench(of: here, store: store)
        let old = bench.session.cursor
        let there = try #require(try await bench.replica(of: elsewhere).session(for: bench.token).value)
        for _ in 0..<3 {
            for session in [bench.session, there] {
                #expect(try await session.changes(since: old).places == ["1 host.name"])
                #expect(String(utf8: try await session.view(at: 0).value.json) == #"{"name":"b"}"#)
            }
        }
        #expect(bench.session.cursor.seq == 1)
    }
}

/// Draws a number at the beginning.
private final class Pairing: ViewModel {
    struct Model: StoredModel { var code = Int.random(in: 0..<1_000_000_000) }
    static let interface = Interface<Pairing>("pairing") {
        Output("code", \.code)
        Action("nothing", Pairing.nothing)
    }
    func nothing() {}
    var code: Int { model.code }
    let model: Model
    init(model: Model) { self.model = model }
}

/// Shows where it lives.
private final class Host: ViewModel {
    struct Model: StoredModel {}
    static let interface = Interface<Host>("host") { Output("name", \.name) }
    let name: String
    let model: Model
    init(model: Model, name: String) {
        self.model = model
        self.name = name
    }
}

extension Catalogue {
    fileprivate static func host(_ name: String) -> Catalogue {
        Catalogue([.hosting { (model: Host.Model) in Host(model: model, name: name) }])
    }
}
