import Sessions
import TestSupport
import Testing

@Suite("The end of a session")
struct EndTests {
    @Test("answers its polls and streams with ended")
    func polls() async throws {
        let bench = try await Bench()
        let poll = await bench.session.poll()
        let stream = await bench.session.poll(as: .stream)
        try await bench.registry.end(bench.session)
        #expect(await failure { try await poll.value } == "ended")
        #expect(await failure { try await stream.value } == "ended")
        #expect(bench.session.waitingCount == 0)
    }

    @Test("nothing can be asked of it any more")
    func nothingMore() async throws {
        let bench = try await Bench()
        let session = bench.session
        try await session.act("counter/increment")
        try await bench.registry.end(session)
        #expect(await failure { try await session.act("counter/increment") } == "ended")
        #expect(await failure { try await session.shown("counter") } == "ended")
        #expect(await failure { try await session.views() } == "ended")
        #expect(await failure { try await session.changes(FeedQuery(since: session.cursor), wait: .zero) } == "ended")
        #expect(await failure { try await session.changes(FeedQuery(), wait: .seconds(25)) } == "ended")
        #expect(try await bench.store.load(session.id) == nil)
        #expect(try await bench.registry.session(for: bench.token).value == nil)
        #expect(bench.registry.count == 0)
    }

    @Test("waits for the action that runs")
    func running() async throws {
        let bench = try await Bench()
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        async let action = bench.session.act("counter/increment")
        await gate.arrivals()
        let end = Task.immediate { try await bench.registry.end(bench.session) }
        gate.open()
        #expect(String(utf8: try await action.json) == #"{"text":"1","enabled":true,"alpha":1}"#)
        try await end.value
        #expect(try await bench.store.load(bench.session.id) == nil)
    }

    @Test("where the store is away the session goes on")
    func storeAway() async throws {
        let bench = try await Bench()
        let poll = await bench.session.poll()
        bench.store.next(.delete, .refuse)
        #expect(await failure { try await bench.registry.end(bench.session) } == "unavailable")
        try await bench.session.act("counter/increment")
        #expect(try await poll.value.kind == .delta)
        #expect(try await bench.registry.session(for: bench.token).value === bench.session)
    }

    @Test("a second end is no error")
    func twice() async throws {
        let bench = try await Bench()
        try await bench.registry.end(bench.session)
        try await bench.registry.end(bench.session)
    }

    @Test("a late second end of the public session leaves the one begun in between alone")
    func lateSecondEnd() async throws {
        let bench = try await Bench()
        let old = try await bench.registry.publicSession().value
        try await bench.registry.end(old)
        let new = try await bench.registry.publicSession().value
        try await bench.registry.end(old)
        try await new.act("counter/increment")
        #expect(try await bench.registry.publicSession().value === new)
    }
}

@Suite("Draining")
struct DrainTests {
    @Test("answers whoever waits, idle, and says when to come back")
    func waiting() async throws {
        let bench = try await Bench()
        let publicSession = try await bench.registry.publicSession().value
        let waits = [
            await bench.session.poll(), await bench.session.poll(as: .stream), await publicSession.poll(),
        ]
        bench.registry.drain()
        for wait in waits {
            let said = try Said(await wait.value)
            #expect(said.kind == "idle")
            #expect((0...5).contains(try #require(said.retryAfter)))
        }
        #expect(bench.session.waitingCount + publicSession.waitingCount == 0)
    }

    @Test("nobody waits from then on, in sessions old and new")
    func fromThenOn() async throws {
        let bench = try await Bench()
        bench.registry.drain()
        for session in [bench.session, try await bench.registry.begin(language: .english).session] {
            let answer = try await session.changes(FeedQuery(since: session.cursor), wait: .seconds(25))
            guard case .idle(.draining(let seconds)) = answer.kind else {
                Issue.record("\(answer.kind)")
                continue
            }
            #expect((0...5).contains(seconds))
        }
        #expect(bench.timeline.sleepers == [])
    }

    @Test("what has changed is still told")
    func news() async throws {
        let bench = try await Bench()
        let start = bench.session.cursor
        try await bench.session.act("counter/increment")
        bench.registry.drain()
        #expect(try await bench.session.changes(FeedQuery(since: start), wait: .seconds(25)).kind == .delta)
    }

    @Test("no wait slips through while the drain begins")
    func race() async throws {
        let bench = try await Bench()
        let session = bench.session
        let waits = (0..<100).map { _ in
            Task { try await session.changes(FeedQuery(since: session.cursor), wait: .seconds(25), as: .stream) }
        }
        await Task.yield()
        bench.registry.drain()
        for wait in waits {
            guard case .idle(.draining) = try await wait.value.kind else {
                Issue.record("not drained")
                return
            }
        }
        #expect(session.waitingCount == 0)
    }
}
