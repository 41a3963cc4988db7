import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("An action that does not happen")
struct RefusalTests {
    private static let untouched = #"{"number":0,"label":"no. 0","ratio":0.5,"alias":0}"#

    @Test(
        "changes nothing, even where the view model had already changed something",
        arguments: [
            ("nasty/change-then-refuse", "refused"), ("nasty/change-then-fail", "Failure"),
            ("nasty/show-nan", "OutputUnshowable"),
        ])
    func changesNothing(path: String, name: String) async throws {
        let bench = try await Bench()
        let session = bench.session
        let start = session.cursor
        #expect(await failure { try await session.act(path) } == name)
        #expect(try await session.shown("nasty") == Self.untouched)
        #expect(session.cursor == start)
        #expect(try await session.changes(since: start).kind == "idle")
        #expect(try await bench.store.load(session.id)?.head.seq == 0)
    }

    @Test(
        "leaves nothing behind that a later action would bring to light",
        arguments: [
            "nasty/change-then-refuse", "nasty/change-then-fail", "nasty/show-nan",
        ])
    func leavesNothing(path: String) async throws {
        let session = try await Bench().session
        _ = await failure { try await session.act(path) }
        try await session.act("counter/increment")
        #expect(try await session.shown("nasty") == Self.untouched)
        try await session.act("nasty/change-two")
        #expect(try await session.shown("nasty") == #"{"number":1,"label":"no. 1","ratio":0.5,"alias":1}"#)
        #expect(session.cursor.seq == 2)
    }

    @Test(
        "leaves nothing behind after one that set what it shows to what it was, or was refused before it",
        arguments: [1, 5])
    func afterEqual(count: Int) async throws {
        let session = try await Bench().session
        try await session.act("nasty/change-two")
        for _ in 0..<count {
            #expect(await failure { try await session.act("nasty/equal-then-refuse") } == "refused")
            #expect(await failure { try await session.act("nasty/show-then-refuse") } == "refused")
        }
        let cursor = session.cursor
        try await session.act("counter/increment")
        #expect(try await session.shown("nasty") == #"{"number":1,"label":"no. 1","ratio":0.5,"alias":1}"#)
        #expect(try await session.changes(since: cursor).places.allSatisfy { $0.contains("counter.") })
    }

    @Test("a refusal carries the state in which it was refused")
    func carriesState() async throws {
        let session = try await Bench().session
        do {
            try await session.act("counter/decrement")
            Issue.record("decrement at zero was not refused")
        } catch SessionFailure.refused(let refusal, let view) {
            #expect(refusal.kind == .disabled)
            #expect(String(utf8: try #require(view).json) == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        }
    }

    @Test("input of the wrong shape is refused, and the poll on it sleeps on")
    func wrongShape() async throws {
        let session = try await Bench().session
        let poll = await session.poll()
        #expect(await failure { try await session.act("login/validate", #"{"id":7}"#) } == "refused")
        #expect(session.waitingCount == 1)
        poll.cancel()
        _ = await poll.result
    }

    @Test("what other view models had committed stands")
    func others() async throws {
        let session = try await Bench().session
        try await session.act("counter/increment")
        _ = await failure { try await session.act("nasty/change-then-refuse") }
        try await session.act("counter/increment")
        #expect(try await session.shown("counter") == #"{"text":"2","enabled":true,"alpha":1}"#)
    }

    @Test("what changes by itself is left alone, also where another replica began the session anew")
    func restless() async throws {
        let springs = Springs()
        func catalogue(_ springs: Springs) -> Catalogue {
            Catalogue(Catalogue.testing().viewModels + Catalogue.ticking(springs).viewModels)
        }
        let bench = try await Bench(of: catalogue(springs), store: ScriptedStore(MemoryStore(isShared: true)))
        let session = try await bench.registry.publicSession().value
        _ = try await session.views()
        let other = bench.replica(of: catalogue(Springs()))
        try await other.end(other.publicSession().value)
        let cursor = try await other.publicSession().value.act("counter/increment").entityTag
        #expect(try await session.view(at: 0).value.entityTag == cursor)
        let count = springs.count
        for _ in 0..<3 { #expect(await failure { try await session.act("nasty/change-then-refuse") } == "refused") }
        #expect(springs.count == count)
    }

    @Test("more actions than a session may ask for are refused until its second has passed")
    func limit() async throws {
        var limits = SessionLimits()
        limits.actionsPerSecond = 2
        let bench = try await Bench(limits: limits)
        try await bench.session.act("counter/increment")
        try await bench.session.act("counter/increment")
        #expect(await failure { try await bench.session.act("counter/increment") } == "tooManyActions(1)")
        #expect(bench.session.cursor.seq == 2)
        bench.timeline.advance(by: .milliseconds(499))
        #expect(await failure { try await bench.session.act("counter/increment") } == "tooManyActions(1)")
        bench.timeline.advance(by: .milliseconds(1))
        try await bench.session.act("counter/increment")
        bench.timeline.advance(by: .seconds(60))
        try await bench.session.act("counter/increment")
        try await bench.session.act("counter/increment")
        #expect(await failure { try await bench.session.act("counter/increment") } == "tooManyActions(1)")
    }
}
