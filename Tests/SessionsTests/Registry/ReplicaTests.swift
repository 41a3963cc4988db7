import Samples
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite("A session in a second replica, or after a restart")
struct ReplicaTests {
    @Test("shows the same state, at the same cursor, in the same language")
    func same() async throws {
        let bench = try await Bench(language: .english)
        try await bench.session.act("counter/increment")
        try await bench.session.act("login/validate", #"{"id":"i"}"#)
        try await bench.session.act("nasty/change-two")
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        #expect(there.cursor == bench.session.cursor)
        #expect(there.language == .english)
        let (here, other) = (try await bench.session.views(), try await there.views())
        #expect(here.views.map { String(utf8: $0.json) } == other.views.map { String(utf8: $0.json) })
        #expect(here.views.map(\.entityTag) == other.views.map(\.entityTag))
    }

    @Test("serves any cursor of the first with the same answer", arguments: 0...3 as ClosedRange<UInt64>)
    func cursors(seq: UInt64) async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        try await bench.session.act("counter/increment")
        try await bench.session.act("nasty/change-two")
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        let since = Cursor(epoch: bench.session.cursor.epoch, seq: seq)
        #expect(try await there.changes(since: since) == (try await bench.session.changes(since: since)))
    }

    @Test("goes on from there")
    func goesOn() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        let view = try await there.act("counter/increment")
        #expect(String(utf8: view.json) == #"{"text":"2","enabled":true,"alpha":1}"#)
        #expect(there.cursor.seq == 2)
    }

    @Test("a cursor of the other replica, which has moved on, is looked up and not called future")
    func otherCursor() async throws {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let here = bench.session
        let start = here.cursor
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        try await there.act("counter/increment")
        try await there.act("counter/increment")
        let said = try await here.changes(since: there.cursor)
        #expect(said.kind == "idle")
        #expect(said.cursor == there.cursor.description)
        #expect(try await here.shown("counter") == #"{"text":"2","enabled":true,"alpha":1}"#)
        #expect(try await here.changes(since: start).kind == "delta")
        #expect(String(utf8: try await here.act("counter/increment").json) == #"{"text":"3","enabled":true,"alpha":1}"#)
    }

    @Test("a cursor of the incarnation that the other replica began is looked up too")
    func otherEpoch() async throws {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let other = bench.replica()
        let here = try await bench.registry.publicSession().value
        try await here.act("counter/increment")
        try await other.end(other.publicSession().value)
        let there = try await other.publicSession().value
        #expect(try await here.changes(since: there.cursor).kind == "idle")
        #expect(try await here.shown("counter") == #"{"text":"0","enabled":false,"alpha":0.5}"#)
    }

    @Test("a cursor of commits that the store lost in use is not believed, whatever has their numbers by then")
    func lost() async throws {
        let store = RewindingStore()
        let bench = try await Bench(store: ScriptedStore(store))
        for _ in 0..<3 { try await bench.session.act("counter/increment") }
        let (lost, kept) = (bench.session.cursor, Cursor(epoch: bench.session.cursor.epoch, seq: 1))
        store.rewind(to: 2)
        for count in 2...6 {
            let text = String(utf8: try await bench.session.act("counter/increment").json)
            #expect(text == #"{"text":"\#(count)","enabled":true,"alpha":1}"#)
        }
        #expect(bench.session.cursor.seq == 6)
        #expect(try await bench.session.changes(since: lost).reason == "history")
        #expect(try await bench.session.changes(since: kept).kind == "delta")
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        #expect(try await there.changes(since: lost).reason == "history")
        #expect(there.cursor == bench.session.cursor)
    }

    @Test("a made-up cursor disturbs nobody: no view model is made again, no poll is woken")
    func madeUpCursor() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        let poll = await bench.session.poll()
        let future = Cursor(epoch: bench.session.cursor.epoch, seq: 99)
        #expect(try await bench.session.changes(since: future).reason == "future")
        #expect(bench.session.waitingCount == 1)
        try await bench.session.act("counter/increment")
        #expect(bench.census["counter"] == 1)
        _ = try await poll.value
    }

    @Test("makes each stored view model once, to see whether it still shows what is stored")
    func lazily() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        let census = Census()
        let registry = SessionRegistry(catalogue: .testing(census), store: bench.store, timeline: bench.timeline)
        // Made in no session, for what each shows untouched.
        let (counters, logins) = (census["counter"], census["login"])
        let there = try #require(try await registry.session(for: bench.token).value)
        #expect(try await there.shown("counter") == #"{"text":"1","enabled":true,"alpha":1}"#)
        #expect(census["counter"] == counters + 1)
        #expect(census["login"] == logins)
        try await there.act("counter/increment")
        #expect(census["counter"] == counters + 1)
    }

    @Test("two replicas that count at once lose nothing")
    func together() async throws {
        let bench = try await Bench()
        let here = bench.session
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        let succeeded = await withTaskGroup(of: Int.self) { group in
            for session in [here, there] {
                group.addTask {
                    var count = 0
                    for _ in 0..<50 where (try? await session.act("counter/increment")) != nil { count += 1 }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        let record = try #require(try await bench.store.load(here.id))
        #expect(Int(record.head.seq) == succeeded)
        #expect(record.viewModels["counter"].map { String(utf8: $0.model) } == #"{"count":\#(succeeded)}"#)
    }

    @Test("hears what the other did between two waits of a stream, and reads it")
    func betweenWaits() async throws {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let here = bench.session
        let there = try #require(try await bench.replica().session(for: bench.token).value)
        #expect(here.openStream())
        defer { here.closeStream() }
        // The first may be found by the look with which the watch begins.
        for _ in 0..<2 {
            try await there.act("counter/increment")
            #expect(await eventually { here.cursor == there.cursor })
        }
    }

    @Test("tells a poll at once of what another build did and was read for somebody who has left")
    func readForAnother() async throws {
        let bench = try await Bench(store: ScriptedStore(MemoryStore(isShared: true)))
        let here = bench.session
        let old = bench.replica(of: Catalogue([.hosting(CounterViewModel.init(model:))]))
        let there = try #require(try await old.session(for: bench.token).value)
        try await here.act("counter/increment")
        let query = FeedQuery(since: here.cursor)
        let gate = Gate()
        bench.store.next(.load, .wait(gate))
        let left = here.wait(for: query, lasting: .seconds(20)) { _ in }
        try await there.act("counter/increment")
        left.cancel()
        gate.open()
        #expect(await eventually { here.cursor.seq >= there.cursor.seq })
        let heard = History<String>()
        let waiting = here.wait(for: query, lasting: .seconds(20)) { heard.note((try? $0.get().name) ?? "\($0)") }
        #expect(await eventually { heard.elements == ["delta"] })
        waiting.cancel()
    }
}
