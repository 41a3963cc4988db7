import Sessions
import TestSupport
import Testing

@Suite("The public session")
struct PublicSessionTests {
    @Test("is one, however many ask at once")
    func one() async throws {
        let bench = try await Bench()
        let commits = bench.store.count(of: .commit)
        let sessions = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<100 {
                group.addTask { ObjectIdentifier(try await bench.registry.publicSession().value) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        #expect(bench.store.count(of: .commit) == commits + 1)
    }

    @Test("is looked for once or twice, however many ask, where the store is away: nobody waits for all others")
    func away() async throws {
        let bench = try await Bench()
        let askers = 100
        let gate = Gate()
        let asking = History<Int>()
        bench.store.next(.load, .wait(gate))
        for _ in 0..<askers { bench.store.next(.commit, .refuse) }
        let before = bench.store.count(of: .load)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<askers {
                group.addTask {
                    let session = bench.registry.publicSession()
                    asking.note(1)
                    _ = try? await session.value
                }
            }
            _ = await eventually { asking.elements.count == askers }
            gate.open()
        }
        // Some may come when the second look is over.
        #expect(bench.store.count(of: .load) - before < askers / 2)
    }

    @Test("speaks Japanese and is no token's")
    func language() async throws {
        let session = try await Bench(language: .english).registry.publicSession().value
        #expect(session.language == .japanese)
        #expect(session.id == .public)
    }

    @Test("begins anew with another epoch after its end")
    func anew() async throws {
        let registry = try await Bench().registry
        let old = try await registry.publicSession().value
        try await old.act("counter/increment")
        try await registry.end(old)
        let new = try await registry.publicSession().value
        #expect(new !== old)
        #expect(try await new.shown("counter") == #"{"text":"0","enabled":false,"alpha":0.5}"#)
        let said = try await new.changes(since: old.cursor)
        #expect(said.kind == "snapshot")
        #expect(said.reason == "epoch")
        #expect(said.changes.count == 9)
    }

    @Test("is the same for two replicas that begin it at once")
    func replicas() async throws {
        let bench = try await Bench()
        let other = bench.replica()
        bench.store.next(.commit, .after { _ = try? await other.publicSession().value })
        let here = try await bench.registry.publicSession().value
        #expect(here.cursor == (try await other.publicSession().value).cursor)
    }

    @Test("has room for more polls than another session")
    func polls() async throws {
        let session = try await Bench().registry.publicSession().value
        var polls: [Task<FeedAnswer, any Error>] = []
        for _ in 0..<50 { polls.append(await session.poll()) }
        #expect(session.waitingCount == 50)
        try await session.act("counter/increment")
        for poll in polls { #expect(try await poll.value.kind == .delta) }
    }

    @Test("one that another replica ended and began anew: a poll here gets the whole of it")
    func begunAnewElsewhere() async throws {
        let bench = try await Bench()
        let session = try await bench.registry.publicSession().value
        try await session.act("counter/increment")
        let poll = await session.poll()
        let other = bench.replica()
        try await other.end(other.publicSession().value)
        try await other.publicSession().value.act("nasty/change-two")
        try await session.act("counter/increment")
        let said = try Said(await poll.value)
        #expect(said.kind == "snapshot")
        #expect(said.reason == "epoch")
        #expect(said.changes.count == 9)
        #expect(try await session.shown("counter") == #"{"text":"1","enabled":true,"alpha":1}"#)
    }
}
