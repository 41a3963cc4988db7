import TestSupport
import Testing

@testable import Sessions

@Suite("An action")
struct PerformTests {
    @Test("is committed, then shown, and the answer is what a read gives")
    func performs() async throws {
        let bench = try await Bench()
        let view = try await bench.session.act("counter/increment")
        #expect(String(utf8: view.json) == #"{"text":"1","enabled":true,"alpha":1}"#)
        #expect(try await bench.session.shown("counter") == String(utf8: view.json))
        #expect(view.entityTag == bench.session.cursor.entityTag)
        #expect(try await bench.store.load(bench.session.id)?.head.seq == 1)
    }

    @Test("from zero to one changes three outputs in one seq, from one to two the text alone")
    func counterChanges() async throws {
        let session = try await Bench().session
        let start = session.cursor
        try await session.act("counter/increment")
        #expect(
            try await session.changes(since: start).places == [
                "1 counter.text", "1 counter.enabled", "1 counter.alpha",
            ])
        let second = session.cursor
        try await session.act("counter/increment")
        #expect(try await session.changes(since: second).places == ["2 counter.text"])
    }

    @Test("of one view model leaves the others' entity tags alone")
    func entityTags() async throws {
        let session = try await Bench().session
        let before = try await session.view(at: 1).value.entityTag
        try await session.act("counter/increment")
        #expect(try await session.view(at: 1).value.entityTag == before)
    }

    @Test("a hundred at once are a hundred commits, none lost, each seen whole")
    func concurrent() async throws {
        let session = try await Bench().session
        let views = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { String(utf8: try await session.act("counter/increment").json) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(session.cursor.seq == 100)
        #expect(Set(views).count == 100)
        #expect(try await session.shown("counter") == #"{"text":"100","enabled":true,"alpha":1}"#)
    }

    @Test("that changes two outputs gives both one seq")
    func two() async throws {
        let session = try await Bench().session
        let start = session.cursor
        try await session.act("nasty/change-two")
        let said = try await session.changes(since: start)
        #expect(said.places == ["1 nasty.number", "1 nasty.label", "1 nasty.alias"])
    }

    @Test("that changes only the model is committed; no output is said to have changed")
    func modelOnly() async throws {
        let bench = try await Bench()
        let start = bench.session.cursor
        let before = try await bench.session.view(at: 2).value.entityTag
        let view = try await bench.session.act("nasty/change-model")
        #expect(view.entityTag == before)
        #expect(bench.session.cursor.seq == 1)
        let said = try await bench.session.changes(since: start)
        #expect(said.kind == "idle")
        #expect(said.cursor == bench.session.cursor.description)
        let model = try await bench.store.load(bench.session.id)?.viewModels["nasty"]?.model
        #expect(model.map { String(utf8: $0) } == #"{"number":0,"secret":1}"#)
    }

    @Test(
        "that changes nothing commits nothing",
        arguments: ["nasty/nothing", "nasty/post-equal", "nasty/there-and-back"])
    func nothing(path: String) async throws {
        let bench = try await Bench()
        let start = bench.session.cursor
        let commits = bench.store.count(of: .commit)
        let view = try await bench.session.act(path)
        #expect(String(utf8: view.json) == #"{"number":0,"label":"no. 0","ratio":0.5,"alias":0}"#)
        #expect(bench.session.cursor == start)
        #expect(bench.store.count(of: .commit) == commits)
    }

    @Test("runs only where the caller's condition holds, on the tag of the state it would act on")
    func condition() async throws {
        let session = try await Bench().session
        let tag = try await session.act("counter/increment").entityTag
        _ = try await session.perform(ActionID(0, of: 0)) { $0 == tag }
        #expect(await failure { try await session.perform(ActionID(0, of: 0)) { $0 == tag } } == "preconditionFailed")
        #expect(session.cursor.seq == 2)
    }

    @Test("of a caller who went away before its turn is not run")
    func cancelled() async throws {
        let bench = try await Bench()
        let session = bench.session
        let gate = Gate()
        bench.store.next(.load, .wait(gate))
        async let turn: Void = session.reload()
        await gate.arrivals()
        let action = Task.immediate { try await session.act("counter/increment") }
        action.cancel()
        gate.open()
        try await turn
        await #expect(throws: CancellationError.self) { try await action.value }
        #expect(session.cursor.seq == 0)
    }

    @Test("view models speak the session's language")
    func language() async throws {
        let session = try await Bench(language: .english).session
        #expect(session.language == .english)
        #expect(try await session.shown("login") == #"{"text":"Enter your ID and password.","color":null}"#)
        try await session.act("login/validate", "{}")
        #expect(try await session.shown("login") == #"{"text":"ID and password are missing.","color":"red"}"#)
    }

    @Test("view models are made when first acted on, and once; looked at, they are not")
    func lazily() async throws {
        let bench = try await Bench()
        #expect(["counter", "login", "nasty"].map { bench.census[$0] } == [0, 0, 0])
        _ = try await bench.session.shown("counter")
        try await bench.session.act("counter/increment")
        try await bench.session.act("counter/increment")
        #expect(["counter", "login", "nasty"].map { bench.census[$0] } == [1, 0, 0])
        _ = try await bench.session.views()
        #expect(["counter", "login", "nasty"].map { bench.census[$0] } == [1, 0, 0])
    }

    @Test("nothing typed into the login reaches the store")
    func typed() async throws {
        let bench = try await Bench()
        try await bench.session.act("login/validate", #"{"id":"taro-yamada","password":"hunter2-secret"}"#)
        let kept = String(describing: try await bench.store.load(bench.session.id))
        let bytes = try #require(await bench.store.load(bench.session.id)?.viewModels["login"])
        let text = kept + String(utf8: bytes.model) + bytes.outputs.map { String(utf8: $0.value) }.joined()
        #expect(!text.contains("taro") && !text.contains("hunter2"))
    }
}
