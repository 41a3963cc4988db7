import Sessions
import TestSupport
import Testing

@Suite("Actions of one session while the store still writes")
struct PipelineTests {
    /// A session whose counter was read, and whose next commit waits before a gate.
    private struct Held {
        let bench: Bench
        let gate = Gate()
        let start: Cursor
        var session: Session { bench.session }

        init() async throws {
            bench = try await Bench()
            try bench.session.prove("counter/increment", "counter/decrement", "nasty/change-two")
            _ = try await bench.session.shown("counter")
            start = bench.session.cursor
            bench.store.next(.commit, .wait(gate))
        }

        /// Begins an action, and returns when it has had its turn.
        func begin(_ path: String) -> Task<String, any Error> {
            Task.immediate { String(utf8: try await session.act(path).json) }
        }
    }

    @Test("the next runs at once, on what the first left; both are answered, each with its own state")
    func next() async throws {
        let held = try await Held()
        let first = held.begin("counter/increment")
        await held.gate.arrivals()
        let second = held.begin("counter/increment")
        let refused = Task.immediate { await failure { try await held.session.act("counter/decrement") } }
        let third = held.begin("nasty/change-two")
        held.gate.open()
        #expect(try await first.value == counter(1))
        #expect(try await second.value == counter(2))
        #expect(await refused.value == nil)
        #expect(try await third.value == #"{"number":1,"label":"no. 1","ratio":0.5,"alias":1}"#)
        #expect(held.session.cursor.seq == 4)
        #expect(held.bench.store.count(of: .commit) == 5)
        #expect(try await held.session.shown("counter") == counter(1))
    }

    @Test("no answer is given before the action is stored, whatever it was")
    func answers() async throws {
        let held = try await Held()
        let answered = History<String>()
        func note<Value: Sendable>(_ name: String, _ act: @escaping @Sendable () async throws -> Value) -> Task<
            Void, Never
        > {
            Task.immediate {
                _ = try? await act()
                answered.note(name)
            }
        }
        let session = held.session
        var tasks = [note("first") { try await session.act("counter/increment") }]
        await held.gate.arrivals()
        tasks += [
            note("second") { try await session.act("counter/increment") },
            note("refused") { try await session.act("nasty/change-then-refuse") },
            note("unchanged") { try await session.act("nasty/nothing") },
            note("of a wrong shape") { try await session.act("login/validate", #"{"id":7}"#) },
            note("of another state") { try await session.perform(ActionID(0, of: 0)) { _ in false } },
        ]
        // Who reads meanwhile waits for nobody, and has gone through the same line.
        #expect(try await session.shown("login").isEmpty == false)
        #expect(answered.elements == [])
        held.gate.open()
        for task in tasks { await task.value }
        #expect(answered.elements.count == 6)
    }

    @Test("reads and polls see what is stored, and nothing of what is on its way")
    func reads() async throws {
        let held = try await Held()
        let poll = await held.session.poll()
        let first = held.begin("counter/increment")
        await held.gate.arrivals()
        let second = held.begin("counter/increment")
        #expect(try await held.session.shown("counter") == counter(0))
        #expect(held.session.cursor == held.start)
        #expect(try await held.session.changes(since: held.start).kind == "idle")
        #expect(try await held.session.changes(since: nil).cursor == held.start.description)
        #expect(try await held.session.views().cursor == held.start)
        #expect(held.session.waitingCount == 1)
        held.gate.open()
        _ = try await (first.value, second.value)
        #expect(try Said(await poll.value).places.count == 3)
        #expect(held.session.cursor.seq == 2)
    }

    @Test("a view model that is first looked at meanwhile is shown at the state that is stored")
    func firstLook() async throws {
        let held = try await Held()
        let first = held.begin("counter/increment")
        await held.gate.arrivals()
        #expect(try await held.session.view(at: 2).value.entityTag == Cursor(epoch: held.start.epoch, seq: 0).entityTag)
        held.gate.open()
        _ = try await first.value
        #expect(try await held.session.shown("nasty") == #"{"number":0,"label":"no. 0","ratio":0.5,"alias":0}"#)
        #expect(try await held.session.shown("counter") == counter(1))
    }

    @Test("a first that is not stored takes the second with it, which runs again on what is stored")
    func failed() async throws {
        let held = try await Held()
        let poll = await held.session.poll()
        // The one behind the gate is stored; the next is not, and a third stands on it.
        let first = held.begin("counter/increment")
        await held.gate.arrivals()
        held.bench.store.next(.commit, .refuse)
        let second = Task.immediate { await failure { try await held.session.act("counter/increment") } }
        let third = held.begin("counter/increment")
        held.gate.open()
        #expect(try await first.value == counter(1))
        #expect(await second.value == "unavailable")
        #expect(try await third.value == counter(2))
        #expect(try await held.session.shown("counter") == counter(2))
        #expect(held.session.cursor.seq == 2)
        #expect(try Said(await poll.value).cursor == Cursor(epoch: held.start.epoch, seq: 1).description)
        #expect(try await held.session.act("counter/increment").entityTag == held.session.cursor.entityTag)
        #expect(try await held.session.shown("counter") == counter(3))
    }

    @Test("a refusal that stands on what is not stored is taken back")
    func refusalOnFailure() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        try bench.session.prove("nasty/label", "counter/decrement")
        let gate = Gate()
        bench.store.next(.commit, .wait(gate), .refuse)
        let first = Task.immediate { try await bench.session.act("nasty/label") }
        await gate.arrivals()
        let second = Task.immediate { await failure { try await bench.session.act("counter/decrement") } }
        // At zero, where the second left it; refused there.
        let third = Task.immediate { await failure { try await bench.session.act("counter/decrement") } }
        gate.open()
        _ = try await first.value
        #expect(await [second.value, third.value] == ["unavailable", "unavailable"])
        #expect(try await bench.session.shown("counter") == counter(1))
    }

    @Test("a first that is stored though its answer is lost: a poller meets no gap, and the second is stored once")
    func ambiguous() async throws {
        let bench = try await Bench()
        let session = bench.session
        _ = try await session.views()
        var client = Client()
        try client.apply(await session.changes(FeedQuery(), wait: .zero))
        let poll = await session.poll()
        try session.prove("nasty/label", "counter/increment")
        let gate = Gate()
        bench.store.next(.commit, .wait(gate), .loseTheAnswer)
        let before = Task.immediate { try await session.act("nasty/label") }
        await gate.arrivals()
        let first = Task.immediate { await failure { try await session.act("counter/increment") } }
        let second = Task.immediate { String(utf8: try await session.act("counter/increment").json) }
        gate.open()
        _ = try await before.value
        #expect(await first.value == "unavailable")
        #expect(try await second.value == counter(2))
        #expect(try await session.shown("counter") == counter(2))
        try client.apply(await poll.value)
        let rest = try await session.changes(FeedQuery(since: client.cursor), wait: .zero)
        try client.apply(rest)
        #expect(client.state["counter.text"] == .string("2"))
        #expect(client.cursor == session.cursor)
        #expect(session.cursor.seq == 3)
        #expect(try await bench.store.load(session.id)?.head.cursor == session.cursor)
    }

    @Test("what was stored though its answer was lost is told to whoever waits, without anybody asking")
    func ambiguousAndWaiting() async throws {
        let bench = try await Bench()
        _ = try await bench.session.shown("counter")
        let poll = await bench.session.poll()
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await bench.session.act("counter/increment") } == "unavailable")
        try #require(await eventually { bench.session.waitingCount == 0 })
        #expect(try Said(await poll.value).places.count == 3)
    }

    @Test("the end of a session waits for what is on its way")
    func end() async throws {
        let held = try await Held()
        let first = held.begin("counter/increment")
        await held.gate.arrivals()
        let end = Task.immediate { try await held.bench.registry.end(held.session) }
        #expect(held.bench.store.count(of: .delete) == 0)
        held.gate.open()
        #expect(try await first.value == counter(1))
        try await end.value
        #expect(await failure { try await held.session.shown("counter") } == "ended")
    }
}
