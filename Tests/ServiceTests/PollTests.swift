import Entities
import TestSupport
import Testing

@testable import Service

/// Protects the table of changes in the contract.
@Suite("Polls")
struct PollTests {
    @Test("A poll is told at once what is newer than its cursor, as an ETag, a weak tag or a cursor")
    func delta() async throws {
        try await TestServer.run { server in
            let tag = try #require(try await server.ask("POST", "/counter/increment")["etag"])
            let text = #""changes":[{"seq":2,"viewModel":"greeting","output":"title","value":"Hello, world!!"}]"#
            _ = try await server.ask("POST", "/greeting/increase-title")
            let cursor = try await server.ask("GET", "/session").string("cursor")
            let plain = tag.replacing("\"", with: "")
            for name in ["since", "lastEventId"] {
                for since in [plain, "%22\(plain)%22", "W/%22\(plain)%22"] {
                    let reply = try await server.ask("GET", "/changes?\(name)=\(since)&wait=0&_=7")
                    #expect(reply.text == #"{"kind":"delta","cursor":"\#(cursor)",\#(text)}"#)
                }
            }
            let later = try await server.ask("GET", "/changes?since=\(plain)&wait=0", "Last-Event-ID: \(cursor)")
            #expect(later.text == #"{"kind":"idle","cursor":"\#(cursor)","changes":[]}"#)
        }
    }

    @Test("A poll waits, and is told of the next change")
    func waits() async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let cursor = try await server.ask("GET", "/session", session).string("cursor")
            async let poll = server.ask("GET", "/changes?since=\(cursor)&topics=counter&values=none", session)
            try await server.someoneWaits(session)
            _ = try await server.ask("POST", "/profile/load", session, body: #"{"paramA":1}"#)
            _ = try await server.ask("POST", "/counter/increment", session)
            let text = try await poll.text
            #expect(text.contains(#"{"seq":2,"viewModel":"counter","output":"enabled"}"#) && !text.contains("profile"))
        }
    }

    @Test("Without a cursor, and with an unknown one, the answer is a snapshot at once", arguments: ["", "?since=x~1"])
    func snapshot(_ query: String) async throws {
        try await TestServer.run(timer: ManualTime()) { server in
            let reply = try await server.ask("GET", "/changes\(query)")
            #expect(try reply.string("kind") == "snapshot")
            #expect(try reply.string("reason") == (query.isEmpty ? "initial" : "unknown"))
            #expect(reply.text.contains(#"{"seq":0,"viewModel":"counter","output":"alpha","value":0.5}"#))
        }
    }

    @Test("An unknown cursor with the present seq gets its snapshot after one second")
    func spinning() async throws {
        let timer = ManualTime()
        try await TestServer.run(timer: timer) { server in
            _ = try await server.ask("POST", "/counter/increment")
            let foreign = Stamp(seq: 1, nonce: 5)
            async let poll = server.ask("GET", "/changes?since=\(foreign)")
            try await server.someoneWaits()
            timer.advance(by: .milliseconds(900))
            #expect(try await server.entity().waitCount > 0)
            timer.advance(by: .milliseconds(150))
            #expect(try await poll.string("reason") == "unknown")
        }
    }

    @Test("A poll that sees no change is idle after its wait, of which a tenth is random")
    func idle() async throws {
        let timer = ManualTime()
        try await TestServer.run(timer: timer) { server in
            let cursor = try await server.ask("GET", "/session").string("cursor")
            async let poll = server.ask("GET", "/changes?since=\(cursor)&wait=10.5")
            try await server.someoneWaits()
            timer.advance(by: .seconds(9.4))
            #expect(try await server.entity().waitCount > 0)
            timer.advance(by: .seconds(1.2))
            #expect(try await poll.text == #"{"kind":"idle","cursor":"\#(cursor)","changes":[]}"#)
        }
    }

    @Test(
        "A malformed query is 400",
        arguments: [
            "since=", "since=%20", "since=a&since=b", "since=W/x", "wait=-1", "wait=x", "wait=", "wait=1&wait=2",
            "values=some", "topics=", "topics=counter,", "topics=nobody", "topics=counter/card", "sinse=x", "fbclid=x",
            "since=\(String(repeating: "a", count: 257))", "%",
        ])
    func malformed(_ query: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("GET", "/changes?\(query)")
            #expect(reply.status == 400 && reply.problem == "malformed-query")
        }
    }

    @Test(
        "The 65th poll of a token is 429, until one is answered; a poll that does not wait needs no place")
    func bound() async throws {
        let timer = ManualTime()
        try await TestServer.run(timer: timer) { server in
            let session = try await server.begin()
            let cursor = try await server.ask("GET", "/session", session).string("cursor")
            let polls = try (0..<64).map { _ in
                let poll = try Connection(server.port)
                try poll.send("GET", "/changes?since=\(cursor)", [session])
                return poll
            }
            #expect(await eventually { server.server.server.gauges.parked == 64 })
            let reply = try await server.ask("GET", "/changes?since=\(cursor)", session)
            #expect(reply.status == 429 && reply.problem == "too-many-polls" && reply["retry-after"] != nil)
            #expect(try await server.ask("GET", "/changes?since=\(cursor)&wait=0", session).status == 200)
            // A place is free again as soon as a poll is answered.
            _ = try await server.ask("POST", "/counter/increment", session)
            for poll in polls { #expect(try await poll.reply().status == 200) }
            async let next = server.ask("GET", "/changes?since=\(cursor)", session)
            #expect(try await next.string("kind") == "delta")
        }
    }

    @Test("A client that closes its sending side is answered at once, and its place is free")
    func halfClosed() async throws {
        try await TestServer.run(timer: ManualTime(), options: { $0.sessions.pollsPerSession = 1 }) { server in
            let session = try await server.begin()
            let cursor = try await server.ask("GET", "/session", session).string("cursor")
            let poll = try Connection(server.port)
            try poll.send("GET", "/changes?since=\(cursor)", [session])
            try await server.someoneWaits(session)
            poll.halfClose()
            #expect(try await poll.reply().string("kind") == "idle")
            let next = try Connection(server.port)
            try next.send("GET", "/changes?since=\(cursor)", [session])
            try await server.someoneWaits(session)
        }
    }

    @Test("A HEAD does not wait")
    func head() async throws {
        try await TestServer.run(timer: ManualTime()) { server in
            let cursor = try await server.ask("GET", "/session").string("cursor")
            #expect(try await server.ask("HEAD", "/changes?since=\(cursor)").status == 200)
        }
    }

    @Test("The end of the session ends its polls with session-ended")
    func ended() async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let cursor = try await server.ask("GET", "/session", session).string("cursor")
            async let poll = server.ask("GET", "/changes?since=\(cursor)", session)
            try await server.someoneWaits(session)
            _ = try await server.ask("DELETE", "/session", session)
            let reply = try await poll
            #expect(reply.status == 401 && reply.problem == "session-ended")
        }
    }
}
