import Sessions
import TestSupport
import Testing

@Suite("Commit before publish")
struct CommitTests {
    private static let one = #"{"text":"1","enabled":true,"alpha":1}"#
    private static let zero = #"{"text":"0","enabled":false,"alpha":0.5}"#

    @Test("a read during a slow commit shows the old state, and does not wait")
    func slowCommit() async throws {
        let bench = try await Bench()
        let session = bench.session
        #expect(try await session.shown("counter") == Self.zero)
        let start = session.cursor
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        async let action = session.act("counter/increment")
        await gate.arrivals()
        #expect(try await session.shown("counter") == Self.zero)
        #expect(session.cursor == start)
        #expect(try await session.changes(since: start).kind == "idle")
        gate.open()
        _ = try await action
        #expect(try await session.shown("counter") == Self.one)
    }

    @Test("a poll is woken after the commit and not before")
    func pollDuringCommit() async throws {
        let bench = try await Bench()
        let session = bench.session
        let poll = await session.poll()
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        async let action = session.act("counter/increment")
        await gate.arrivals()
        #expect(session.waitingCount == 1)
        gate.open()
        _ = try await action
        #expect(try Said(await poll.value).places.count == 3)
    }

    @Test("where another replica commits in between, the action is run again on the newer state")
    func conflict() async throws {
        let bench = try await Bench()
        let session = bench.session
        let other = try #require(try await bench.replicaSession())
        bench.store.next(
            .commit,
            .after {
                _ = try? await other.act("counter/increment")
                _ = try? await other.act("nasty/change-two")
            })
        let view = try await session.act("counter/increment")
        #expect(String(utf8: view.json) == #"{"text":"2","enabled":true,"alpha":1}"#)
        #expect(session.cursor.seq == 3)
        #expect(try await session.shown("nasty") == #"{"number":1,"label":"no. 1","ratio":0.5,"alias":1}"#)
    }

    @Test("an action that the newer state forbids is refused after all")
    func conflictThenRefusal() async throws {
        let bench = try await Bench()
        let session = bench.session
        try await session.act("counter/increment")
        let other = try #require(try await bench.replicaSession())
        bench.store.next(.commit, .after { _ = try? await other.act("counter/decrement") })
        #expect(await failure { try await session.act("counter/decrement") } == "refused")
        #expect(try await session.shown("counter") == Self.zero)
        #expect(session.cursor.seq == 2)
    }

    @Test("a condition is judged again on the newer state")
    func conflictThenPrecondition() async throws {
        let bench = try await Bench()
        let session = bench.session
        let tag = try await session.act("counter/increment").entityTag
        let other = try #require(try await bench.replicaSession())
        bench.store.next(.commit, .after { _ = try? await other.act("counter/increment") })
        #expect(await failure { try await session.perform(ActionID(0, of: 0)) { $0 == tag } } == "preconditionFailed")
        #expect(session.cursor.seq == 2)
    }

    @Test("a waiting poll is told of both replicas' commits, in order")
    func conflictAndPoll() async throws {
        let bench = try await Bench()
        let session = bench.session
        let poll = await session.poll()
        let other = try #require(try await bench.replicaSession())
        bench.store.next(.commit, .after { _ = try? await other.act("counter/increment") })
        try await session.act("counter/increment")
        let first = try await poll.value
        #expect(try Said(first).places == ["1 counter.text", "1 counter.enabled", "1 counter.alpha"])
        #expect(try await session.changes(since: first.cursor).places == ["2 counter.text"])
    }

    @Test("an action that loses every race gives up: unavailable, and works when the others rest")
    func neverWins() async throws {
        var limits = SessionLimits()
        limits.replays = 2
        let bench = try await Bench(limits: limits)
        let other = try #require(try await bench.replicaSession())
        for _ in 0..<3 {
            bench.store.next(.commit, .after { _ = try? await other.act("nasty/label") })
        }
        #expect(await failure { try await bench.session.act("counter/increment") } == "unavailable")
        try await bench.session.act("counter/increment")
        #expect(try await bench.session.shown("counter") == Self.one)
    }

    @Test("a failed commit: unavailable, nothing shown, nothing kept, and the next action works")
    func failed() async throws {
        let bench = try await Bench()
        let session = bench.session
        _ = try await session.shown("counter")
        let poll = await session.poll()
        bench.store.next(.commit, .refuse)
        #expect(await failure { try await session.act("counter/increment") } == "unavailable")
        #expect(try await session.shown("counter") == Self.zero)
        #expect(session.cursor.seq == 0)
        #expect(session.waitingCount == 1)
        try await session.act("counter/increment")
        #expect(try await session.shown("counter") == Self.one)
        #expect(try Said(await poll.value).cursor == session.cursor.description)
    }

    @Test("a failed commit throws the live view models away; they are made again from what is committed")
    func rebuilt() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        bench.store.next(.commit, .refuse)
        _ = await failure { try await bench.session.act("counter/increment") }
        #expect(bench.census["counter"] == 1)
        try await bench.session.act("counter/increment")
        #expect(bench.census["counter"] == 2)
        #expect(try await bench.session.shown("counter") == #"{"text":"2","enabled":true,"alpha":1}"#)
    }

    @Test("a commit that was stored though it failed: the next action stands on it")
    func lostAnswer() async throws {
        let bench = try await Bench()
        let session = bench.session
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await session.act("counter/increment") } == "unavailable")
        let view = try await session.act("counter/increment")
        #expect(String(utf8: view.json) == #"{"text":"2","enabled":true,"alpha":1}"#)
        #expect(session.cursor.seq == 2)
    }

    @Test("a commit that was stored though it failed is seen by the next read and the next poll, without an action")
    func lostAnswerIsSeen() async throws {
        let bench = try await Bench()
        let session = bench.session
        let start = session.cursor
        _ = try await session.shown("counter")
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await session.act("counter/increment") } == "unavailable")
        #expect(try await session.changes(since: start).places.count == 3)
        #expect(try await session.shown("counter") == Self.one)
    }

    @Test("while it is not known what was stored and the store is away, nothing is said")
    func unknown() async throws {
        let bench = try await Bench()
        let session = bench.session
        _ = try await session.shown("counter")
        bench.store.next(.commit, .loseTheAnswer)
        _ = await failure { try await session.act("counter/increment") }
        bench.store.isAway = true
        #expect(await failure { try await session.shown("counter") } == "unavailable")
        #expect(
            await failure { try await session.changes(FeedQuery(since: session.cursor), wait: .zero) } == "unavailable")
        bench.store.isAway = false
        #expect(try await session.shown("counter") == Self.one)
    }

    @Test("a session that another replica ended is ended here by the next action")
    func endedElsewhere() async throws {
        let bench = try await Bench()
        let poll = await bench.session.poll()
        try await bench.store.delete(
            bench.session.id, at: try #require(try await bench.store.load(bench.session.id)).head.version)
        #expect(await failure { try await bench.session.act("counter/increment") } == "ended")
        #expect(await failure { try await poll.value } == "ended")
    }

    @Test("untouched view models are shown whole also after the session was read again")
    func untouchedAfterReload() async throws {
        let bench = try await Bench()
        let session = bench.session
        _ = try await session.views()
        let other = try #require(try await bench.replicaSession())
        bench.store.next(.commit, .after { _ = try? await other.act("counter/increment") })
        let poll = await session.poll()
        try await session.act("counter/increment")
        #expect(try await session.changes(since: nil).changes.count == 9)
        #expect(try await session.views().views.count == 3)
        #expect(try Said(await poll.value).kind == "delta")
    }
}

extension Bench {
    /// The same session in another replica.
    func replicaSession(limits: SessionLimits = SessionLimits()) async throws -> Session? {
        try await replica(limits: limits).session(for: token).value
    }
}
