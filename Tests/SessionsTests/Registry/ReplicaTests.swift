import Sessions
import TestSupport
import Testing

@Suite("A session in a second replica, or after a restart")
struct ReplicaTests {
    @Test("shows the same state, at the same cursor, in the same language")
    func same() async throws {
        let bench = try await Bench(language: .english)
        try await bench.session.act("counter/increment")
        try await bench.session.act("login/validate", #"{"id":"i"}"#)
        try await bench.session.act("nasty/change-two")
        let there = try #require(try await bench.replica().session(for: bench.token))
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
        try await bench.session.act("nasty/label")
        let there = try #require(try await bench.replica().session(for: bench.token))
        let since = Cursor(epoch: bench.session.cursor.epoch, seq: seq)
        #expect(try await there.changes(since: since) == (try await bench.session.changes(since: since)))
    }

    @Test("goes on from there")
    func goesOn() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        let there = try #require(try await bench.replica().session(for: bench.token))
        let view = try await there.act("counter/increment")
        #expect(String(utf8: view.json) == #"{"text":"2","enabled":true,"alpha":1}"#)
        #expect(there.cursor.seq == 2)
    }

    @Test("makes no view model to show what is stored")
    func lazily() async throws {
        let bench = try await Bench()
        try await bench.session.act("counter/increment")
        let census = Census()
        let registry = SessionRegistry(catalogue: .testing(census), store: bench.store, timeline: bench.timeline)
        let there = try #require(try await registry.session(for: bench.token))
        #expect(try await there.shown("counter") == #"{"text":"1","enabled":true,"alpha":1}"#)
        #expect(census["counter"] == 0)
        try await there.act("counter/increment")
        #expect(census["counter"] == 1)
    }

    @Test("two replicas that count at once lose nothing")
    func together() async throws {
        let bench = try await Bench()
        let here = bench.session
        let there = try #require(try await bench.replica().session(for: bench.token))
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
        #expect(Int(record.seq) == succeeded)
        #expect(record.viewModels["counter"].map { String(utf8: $0.model) } == #"{"count":\#(succeeded)}"#)
    }
}
