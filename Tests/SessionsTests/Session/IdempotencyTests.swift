import Sessions
import TestSupport
import Testing

@Suite("An action with an idempotency key")
struct IdempotencyTests {
    @Test("happens once; asked again, the first outcome is told again")
    func again() async throws {
        let session = try await Bench().session
        let first = try await session.act("counter/increment", key: "a")
        #expect(first == Told(status: 200, body: counter(1), isReplay: false))
        try await session.act("counter/increment")
        #expect(
            try await session.act("counter/increment", key: "a") == Told(status: 200, body: counter(1), isReplay: true))
        #expect(try await session.shown("counter") == counter(2))
    }

    @Test("is stored with its outcome in one commit")
    func oneCommit() async throws {
        let bench = try await Bench()
        let commits = bench.store.count(of: .commit)
        try await bench.session.act("counter/increment", key: "a")
        #expect(bench.store.count(of: .commit) == commits + 1)
        let record = try #require(try await bench.store.load(bench.session.id))
        #expect(record.head.seq == 1)
        #expect(record.keys == 1)
    }

    @Test("asked twice at once, runs once; the second waits for the first's outcome")
    func concurrent() async throws {
        let bench = try await Bench()
        let session = bench.session
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        let first = Task.immediate { try await session.act("counter/increment", key: "a") }
        await gate.arrivals()
        let second = Task.immediate { try await session.act("counter/increment", key: "a") }
        #expect(session.cursor.seq == 0)
        gate.open()
        #expect(try await first.value == Told(status: 200, body: counter(1), isReplay: false))
        #expect(try await second.value == Told(status: 200, body: counter(1), isReplay: true))
        #expect(try await session.shown("counter") == counter(1))
    }

    @Test("a hundred times at once runs once")
    func crowd() async throws {
        let session = try await Bench().session
        let told = try await withThrowingTaskGroup(of: Told.self) { group in
            for _ in 0..<100 { group.addTask { try await session.act("counter/increment", key: "a") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(told.map(\.body)) == [counter(1)])
        #expect(told.count { !$0.isReplay } == 1)
        #expect(session.cursor.seq == 1)
    }

    @Test("that was used for another body or another action is refused, and nothing happens", arguments: [false, true])
    func otherRequest(isUnderWay: Bool) async throws {
        let bench = try await Bench()
        let session = bench.session
        let gate = Gate()
        bench.store.next(.commit, .wait(gate))
        let first = Task.immediate { try await session.act("login/validate", #"{"id":"i"}"#, key: "a") }
        await gate.arrivals()
        if !isUnderWay {
            gate.open()
            _ = try await first.value
        }
        let others = [("login/validate", "{}"), ("counter/increment", "")].map { path, body in
            Task.immediate { await failure { try await session.act(path, body, key: "a") } }
        }
        gate.open()
        for other in others { #expect(await other.value == "keyOfAnotherRequest") }
        _ = try await first.value
        #expect(session.cursor.seq == 1)
    }

    @Test("whose first was not stored is free, also for another request that came meanwhile")
    func firstFailed() async throws {
        let bench = try await Bench()
        let session = bench.session
        try session.prove("counter/increment", "nasty/label")
        let gate = Gate()
        bench.store.next(.commit, .wait(gate), .refuse)
        let before = Task.immediate { try await session.act("nasty/label") }
        await gate.arrivals()
        let first = Task.immediate { await failure { try await session.act("counter/increment", key: "a") } }
        let other = Task.immediate { await failure { try await session.act("nasty/label", key: "a") } }
        gate.open()
        _ = try await before.value
        #expect(await first.value == "unavailable")
        // It stood on what is not known to be stored: it is for its caller to ask again.
        #expect(await other.value == "unavailable")
        #expect(try await session.act("counter/increment", key: "a").isReplay == false)
        #expect(try await session.shown("counter") == counter(1))
    }

    @Test("that was stored though its answer was lost is told again, and not run again")
    func lostAnswer() async throws {
        let bench = try await Bench()
        bench.store.next(.commit, .loseTheAnswer)
        #expect(await failure { try await bench.session.act("counter/increment", key: "a") } == "unavailable")
        let told = try await bench.session.act("counter/increment", key: "a")
        #expect(told == Told(status: 200, body: counter(1), isReplay: true))
        #expect(try await bench.session.shown("counter") == counter(1))
    }

    @Test("is remembered by another replica, and after the session was read again")
    func elsewhere() async throws {
        let bench = try await Bench()
        let there = try #require(try await bench.replicaSession())
        try await bench.session.act("counter/increment", key: "a")
        #expect(try await there.act("counter/increment", key: "a").isReplay)
        #expect(try await there.act("counter/increment", key: "b").isReplay == false)
        #expect(try await bench.session.act("counter/increment", key: "b").isReplay)
        #expect(try await bench.session.shown("counter") == counter(2))
    }

    @Test("is remembered whatever comes after it, also after it left memory")
    func kept() async throws {
        let bench = try await Bench()
        for number in 0..<200 {
            try await bench.session.act(number == 32 ? "nasty/nothing" : "counter/increment", key: "\(number)")
        }
        for session in [bench.session, try #require(try await bench.replicaSession())] {
            for number in 0..<200 {
                let path = number == 32 ? "nasty/nothing" : "counter/increment"
                #expect(try await session.act(path, key: "\(number)").isReplay, "\(number)")
            }
        }
    }

    @Test("a refusal because the action is disabled is remembered, also when the action no longer is")
    func disabled() async throws {
        let bench = try await Bench()
        let refused = Told(status: 409, body: counter(0), isReplay: false)
        #expect(try await bench.session.act("counter/decrement", key: "a") == refused)
        try await bench.session.act("counter/increment")
        let again = Told(status: 409, body: counter(0), isReplay: true)
        #expect(try await bench.session.act("counter/decrement", key: "a") == again)
        #expect(try await bench.replicaSession()?.act("counter/decrement", key: "a") == again)
        #expect(try await bench.session.shown("counter") == counter(1))
    }

    @Test("a body that cannot be read is not remembered: it may be mended under the same key")
    func unreadable() async throws {
        let session = try await Bench().session
        #expect(await failure { try await session.act("login/validate", #"{"id":7}"#, key: "a") } == "refused")
        #expect(try await session.act("login/validate", #"{"id":"i","password":"p"}"#, key: "a").isReplay == false)
    }

    @Test("a condition that does not hold is not remembered")
    func condition() async throws {
        let bench = try await Bench()
        let request = bench.session.request("counter/increment", key: "a")
        let refused = await failure {
            try await bench.session.perform(ActionID(0, of: 0), once: request) { _ in false }
        }
        #expect(refused == "preconditionFailed")
        #expect(try await bench.session.act("counter/increment", key: "a").isReplay == false)
    }

    @Test("one that changed nothing is remembered too, without a new commit number")
    func unchanged() async throws {
        let bench = try await Bench()
        let start = bench.session.cursor
        let first = try await bench.session.act("nasty/nothing", key: "a")
        try await bench.session.act("nasty/change-two")
        #expect(bench.session.cursor.seq == start.seq + 1)
        let again = try await bench.session.act("nasty/nothing", key: "a")
        #expect(again == Told(status: 200, body: first.body, isReplay: true))
    }
}
