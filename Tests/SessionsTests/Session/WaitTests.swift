import Sessions
import TestSupport
import Testing
import ViewModels

@Suite("A wait for changes")
struct WaitTests {
    @Test("is ended by another task's action, with the whole commit")
    func woken() async throws {
        let session = try await Bench().session
        let poll = await session.poll()
        try await session.act("counter/increment")
        let said = try Said(await poll.value)
        #expect(said.kind == "delta")
        #expect(said.places == ["1 counter.text", "1 counter.enabled", "1 counter.alpha"])
        #expect(said.changes.map(\.value) == ["1", true, 1])
        #expect(said.cursor == session.cursor.description)
        #expect(session.waitingCount == 0)
    }

    @Test("a change that is there already is told at once, however long the wait may be")
    func atOnce() async throws {
        let bench = try await Bench()
        let start = bench.session.cursor
        try bench.session.prove("counter/increment")
        try await bench.session.act("counter/increment")
        let answer = try await bench.session.changes(FeedQuery(since: start), wait: .seconds(25))
        #expect(answer.kind == .delta)
        #expect(!bench.timeline.sleepers.contains(.seconds(25)))
    }

    @Test("asking without waiting answers idle at once")
    func noWait() async throws {
        let session = try await Bench().session
        let said = try await session.changes(since: session.cursor)
        #expect(said == (try Said(json: #"{"kind":"idle","cursor":"\#(session.cursor)","changes":[]}"#)))
        #expect(session.waitingCount == 0)
    }

    @Test("ends idle at its deadline and not before")
    func deadline() async throws {
        let bench = try await Bench()
        let poll = await bench.session.poll(wait: .seconds(25))
        try await bench.timeline.sleeper(until: .seconds(25))
        bench.timeline.advance(by: .milliseconds(24_999))
        #expect(bench.session.waitingCount == 1)
        bench.timeline.advance(by: .milliseconds(1))
        #expect(try await poll.value.kind == .idle(.deadline))
        #expect(bench.session.waitingCount == 0)
    }

    @Test("an idle answer's cursor has moved past what the topics leave out")
    func idleCursor() async throws {
        let bench = try await Bench()
        let poll = await bench.session.poll(topics: OutputSet([3, 4]))
        try await bench.timeline.sleeper(until: .seconds(25))
        try await bench.session.act("counter/increment")
        #expect(bench.session.waitingCount == 1)
        bench.timeline.advance(by: .seconds(25))
        let answer = try await poll.value
        #expect(answer.kind == .idle(.deadline))
        #expect(answer.cursor.seq == 1)
    }

    @Test("on a facet's outputs is not ended by the others")
    func facet() async throws {
        let session = try await Bench().session
        let label = OutputSet([6])
        let poll = await session.poll(topics: label)
        try await session.act("counter/increment")
        try await session.act("nasty/change-model")
        #expect(session.waitingCount == 1)
        try await session.act("nasty/label")
        #expect(try Said(await poll.value).places == ["3 nasty.label"])
    }

    @Test("a commit that shows nothing ends no wait")
    func modelOnly() async throws {
        let session = try await Bench().session
        let poll = await session.poll()
        try await session.act("nasty/change-model")
        #expect(session.waitingCount == 1)
        poll.cancel()
        _ = await poll.result
    }

    @Test("a cancelled one throws and leaves nobody behind")
    func cancelled() async throws {
        let session = try await Bench().session
        let poll = await session.poll()
        poll.cancel()
        await #expect(throws: CancellationError.self) { try await poll.value }
        #expect(session.waitingCount == 0)
    }

    @Test("one that is cancelled before it begins leaves nobody behind")
    func cancelledBefore() async throws {
        let session = try await Bench().session
        let gate = Gate()
        let poll = Task {
            await gate.pass()
            return try await session.changes(FeedQuery(since: session.cursor), wait: .seconds(25))
        }
        await gate.arrivals()
        poll.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await poll.value }
        #expect(session.waitingCount == 0)
    }

    @Test("a cancelled wait's deadline does nothing to those that come after it")
    func deadlineOfCancelled() async throws {
        let bench = try await Bench()
        let first = await bench.session.poll(wait: .seconds(10))
        try await bench.timeline.sleeper(until: .seconds(10))
        first.cancel()
        _ = await first.result
        let second = await bench.session.poll(wait: .seconds(20))
        bench.timeline.advance(by: .seconds(10))
        try await bench.timeline.sleeper(until: .seconds(20))
        #expect(bench.session.waitingCount == 1)
        bench.timeline.advance(by: .seconds(10))
        #expect(try await second.value.kind == .idle(.deadline))
    }

    @Test("a ninth poll answers the oldest: superseded")
    func superseded() async throws {
        let session = try await Bench().session
        var polls: [Task<FeedAnswer, any Error>] = []
        for _ in 0..<8 { polls.append(await session.poll()) }
        let ninth = Task.immediate {
            try await session.changes(FeedQuery(since: session.cursor), wait: .seconds(25))
        }
        let said = try Said(await polls[0].value)
        #expect(said.kind == "idle")
        #expect(said.superseded == true)
        #expect(session.waitingCount == 8)
        try await session.act("counter/increment")
        for poll in polls.dropFirst() + [ninth] { #expect(try await poll.value.kind == .delta) }
    }

    @Test("streams do not count as polls and are not superseded")
    func streams() async throws {
        let session = try await Bench().session
        var waits: [Task<FeedAnswer, any Error>] = []
        for _ in 0..<12 { waits.append(await session.poll(as: .stream)) }
        for _ in 0..<8 { waits.append(await session.poll()) }
        #expect(session.waitingCount == 20)
        try await session.act("counter/increment")
        for wait in waits { #expect(try await wait.value.kind == .delta) }
    }

    @Test(
        "no cursor, another epoch or a seq not yet reached get a snapshot at once",
        arguments: ["initial", "epoch", "future"])
    func snapshots(reason: String) async throws {
        let session = try await Bench().session
        let epoch = try #require(Epoch("other"))
        let since: [String: Cursor] = [
            "epoch": Cursor(epoch: epoch, seq: 0), "future": Cursor(epoch: session.cursor.epoch, seq: 1),
        ]
        let said = try Said(await session.changes(FeedQuery(since: since[reason]), wait: .seconds(25)))
        #expect(said.kind == "snapshot")
        #expect(said.reason == reason)
        #expect(said.changes.count == 9)
        #expect(said.cursor == session.cursor.description)
    }

    @Test("a consumer that lags gets the latest value of each changed output, once")
    func lagging() async throws {
        let session = try await Bench().session
        let start = session.cursor
        for _ in 0..<5 { try await session.act("counter/increment") }
        try await session.act("counter/decrement")
        let said = try await session.changes(since: start)
        #expect(said.places == ["1 counter.enabled", "1 counter.alpha", "6 counter.text"])
        #expect(said.changes.map(\.value) == [true, 1, "4"])
    }

    @Test("a hundred clients that poll through a hundred actions all end with the same state")
    func fanOut() async throws {
        var limits = SessionLimits()
        limits.pollsPerSession = 100
        let session = try await Bench(limits: limits).session
        let states = try await withThrowingTaskGroup(of: [String: JSONValue].self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var client = Client()
                    while client.state["counter.text"] != "100" {
                        try client.apply(
                            await session.changes(FeedQuery(since: client.cursor), wait: .seconds(25)))
                    }
                    return client.state
                }
            }
            for _ in 0..<100 { try await session.act("counter/increment") }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(states.count == 1)
        #expect(session.waitingCount == 0)
    }

    @Test("a wait cancelled while it is being woken is answered once, whichever wins")
    func race() async throws {
        let session = try await Bench().session
        for _ in 0..<200 {
            let poll = await session.poll()
            async let action: Void = { _ = try await session.act("counter/increment") }()
            poll.cancel()
            try await action
            if case .success(let answer) = await poll.result { #expect(answer.kind == .delta) }
            #expect(session.waitingCount == 0)
        }
    }
}
