import TestSupport
import Testing
import ViewModels

@Suite("Waiting for a change")
struct WaitingTests {
    @Test("a poll is woken by another client's action, whatever session header it came by")
    func woken() async throws {
        try await withService { service in
            let token = try await service.begin()
            let cursor = try await service.cursor("Cookie: bindery-session=\(token)")
            let waiting = try await service.poll("since=\(cursor)&wait=55", "Cookie: bindery-session=\(token)")
            await service.waits(1, token)
            _ = try await service.post("/counter/increment", "Authorization: Bearer \(token)")
            let answer = try await waiting.answer()
            #expect(try answer.changes() == ["counter.text=1@1", "counter.enabled=true@1", "counter.alpha=1@1"])
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(service.waiting(token) == 0)
        }
    }

    @Test(
        "a poll waits as long as it says, 25 seconds if it does not, 55 at most, less up to a tenth",
        arguments: [
            ("", 25.0), ("&wait=10", 10), ("&wait=0.5", 0.5), ("&wait=1e1", 10), ("&wait=55", 55), ("&wait=56", 55),
            ("&wait=86400", 55), ("&wait=1e300", 55), ("&wait=1e400", 55), ("&wait=99999999999999999999999", 55),
        ])
    func duration(query: String, seconds: Double) async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let waiting = try await service.poll("since=\(cursor)\(query)")
            await service.waits(1)
            try await service.timeline.sleepers(count: 1)
            let end = try #require(service.timeline.sleepers.first)
            // Deadlines are kept in ticks of 50 ms.
            #expect((.seconds(seconds * 0.9) ... .seconds(seconds) + .milliseconds(50)).contains(end))
            service.timeline.advance(by: end)
            let answer = try await waiting.answer()
            #expect(answer.text == #"{"kind":"idle","cursor":"\#(cursor)","changes":[]}"#)
            #expect(service.waiting() == 0)
        }
    }

    @Test("wait=0 asks without waiting", arguments: ["0", "0.0", "0e5", "-0"])
    func noWait(wait: String) async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let answer = try await service.get("/changes?since=\(cursor)&wait=\(wait)")
            #expect(answer.text == #"{"kind":"idle","cursor":"\#(cursor)","changes":[]}"#)
        }
    }

    @Test("a poll is not woken by what its topics filter out; its cursor moves past that")
    func filtered() async throws {
        try await withService { service in
            let start = try await service.cursor()
            let waiting = try await service.poll("since=\(start)&topics=login&wait=10")
            await service.waits(1)
            _ = try await service.post("/counter/increment")
            let last = try #require(try await service.post("/counter/increment").cursor)
            #expect(service.waiting() == 1)
            try await service.timeline.sleepers(count: 1)
            service.timeline.advance(by: .seconds(11))
            #expect(try await waiting.answer().text == #"{"kind":"idle","cursor":"\#(last)","changes":[]}"#)
        }
    }

    @Test("topics may be repeated, and may have a space behind the comma")
    func repeatedTopics() async throws {
        try await withService { service in
            let start = try await service.cursor()
            _ = try await service.post("/counter/increment")
            for topics in ["topics=login&topics=counter", "topics=login,%20counter", "topics=login,counter"] {
                let answer = try await service.get("/changes?since=\(start)&\(topics)")
                #expect(try answer.json()["kind"] == "delta", "\(topics)")
            }
        }
    }

    @Test("the ninth poll of a token answers the oldest with superseded")
    func superseded() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let cursor = try await service.cursor(bearer)
            var polls: [Client] = []
            for count in 1...8 {
                polls.append(try await service.poll("since=\(cursor)", bearer))
                await service.waits(count, token)
            }
            let ninth = try await service.poll("since=\(cursor)", bearer)
            let answer = try await polls[0].answer()
            #expect(answer.text == #"{"kind":"idle","cursor":"\#(cursor)","changes":[],"superseded":true}"#)
            await service.waits(8, token)
            _ = try await service.post("/counter/increment", bearer)
            for poll in polls.dropFirst() + [ninth] {
                let answer = try await poll.answer()
                #expect(try answer.json()["kind"] == "delta")
            }
        }
    }

    @Test("the public session may have more than eight waiting polls, as it is shared")
    func publicLimit() async throws {
        try await withService {
            $0.sessions.pollsOfPublicSession = 12
        } _: { service in
            let cursor = try await service.cursor()
            var polls: [Client] = []
            for count in 1...12 {
                polls.append(try await service.poll("since=\(cursor)"))
                await service.waits(count)
            }
            polls.append(try await service.poll("since=\(cursor)"))
            #expect(try await polls[0].answer().json()["superseded"] == true)
            await service.waits(12)
        }
    }

    @Test("DELETE /session ends its polls with 401 session-ended")
    func ended() async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = "Authorization: Bearer \(token)"
            let waiting = try await service.poll("since=\(try await service.cursor(bearer))", bearer)
            await service.waits(1, token)
            #expect(try await service.delete("/session", bearer).status == 204)
            try expect(try await waiting.answer(), isProblem: "session-ended", 401)
        }
    }

    enum Farewell: CaseIterable { case close, reset, halfClose }

    @Test("a client that vanishes while it waits leaves no wait and no descriptor", arguments: Farewell.allCases)
    func vanished(farewell: Farewell) async throws {
        try await withService { service in
            let cursor = try await service.cursor()
            let (leaving, staying) = (
                try await service.poll("since=\(cursor)"), try await service.poll("since=\(cursor)")
            )
            await service.waits(2)
            switch farewell {
            case .close: leaving.raw.close()
            case .reset: leaving.raw.reset()
            case .halfClose: leaving.raw.halfClose()
            }
            await service.waits(1)
            let isGone = try await eventually {
                try !SocketTable.serverHoldsConnection(serverPort: service.port, clientPort: leaving.raw.port)
            }
            #expect(isGone)
            let gauges = await eventually { service.gauges.parked == 1 }
            #expect(gauges)
            _ = try await service.post("/counter/increment")
            #expect(try await staying.answer().json()["kind"] == "delta")
        }
    }

    @Test("one connection can poll again and again")
    func keptAlive() async throws {
        try await withService { service in
            let client = try await service.connect()
            var cursor = try await service.cursor()
            for count in 1...5 {
                try await client.send("GET", "/changes?since=\(cursor)")
                await service.waits(1)
                _ = try await service.post("/counter/increment")
                let json = try await client.answer().json()
                #expect(json.changes.first == "counter.text=\(count)@\(count)")
                cursor = try #require(json["cursor"]?.string)
            }
        }
    }
}
