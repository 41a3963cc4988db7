import Foundation
import Testing

@testable import BinderyClient

/// Protects that a client misses nothing, and does not flood a server that is away.
@Suite("Changes", .timeLimit(.minutes(1)))
struct ChangesTests {
    let bench: Bench
    var server: StandInServer { bench.server }
    var clock: SleepClock { bench.clock }

    init() throws { bench = try Bench() }

    /// Follows the changes; the texts come as they are read.
    private func follow(
        since cursor: RemoteCursor? = nil, in session: RemoteSession? = nil
    ) -> (Task<Void, any Error>, AsyncStream<String?>.Iterator) {
        let (seen, see) = AsyncStream.makeStream(of: String?.self)
        let following = Task { [session = session ?? bench.session] in
            defer { see.finish() }
            for try await update in session.changes(topics: ["counter", "login"], since: cursor) {
                see.yield(update.text)
            }
        }
        return (following, seen.makeAsyncIterator())
    }

    @Test("come again from the cursor after a stream that was cut within an event, and close it at the end")
    func cut() async throws {
        var (following, texts) = follow()
        let first = try await server.next()
        #expect(first.line == "GET /changes?topics=counter,login HTTP/1.1" && first["Accept"] == "text/event-stream")
        #expect(first["Last-Event-ID"] == nil && first["Authorization"] == "Bearer secret")
        first.stream(event("snapshot", 1, "1"), String(event("delta", 2, "2").dropLast(20)))
        first.finish()
        try await clock.pass(pause: .seconds(1))
        let second = try await server.next()
        #expect(second["Last-Event-ID"] == "1.n")
        second.stream(event("delta", 2, "2"))
        #expect(await [texts.next(), texts.next()] == ["1", "2"])
        following.cancel()
        second.send(event("delta", 3, "3"))
        await #expect(throws: CancellationError.self) { try await following.outcome }
        await second.closed()
        #expect(await texts.next() == nil && server.requests == 2)
    }

    @Test("may have half a character at the end of a piece, and U+2028 in a value")
    func pieces() async throws {
        var (_, texts) = follow()
        let stream = try await server.next()
        stream.stream()
        for byte in event("snapshot", 1, "数\u{2028}🧵").utf8 { stream.send([byte]) }
        #expect(await texts.next() == "数\u{2028}🧵")
    }

    @Test("begin after the cursor that the app has kept, and a ping moves it")
    func pings() async throws {
        var (_, texts) = follow(since: RemoteCursor("5.n"))
        let first = try await server.next()
        #expect(first["Last-Event-ID"] == "5.n")
        first.stream(ping(7))
        first.finish()
        try await clock.pass(pause: .seconds(1))
        let second = try await server.next()
        #expect(second["Last-Event-ID"] == "7.n")
        second.stream(event("delta", 8, "8"))
        #expect(await texts.next() == "8")
    }

    @Test("are asked for anew from the cursor where a stream is silent for too long")
    func silent() async throws {
        let client = BinderyClient(server.url, clock, connectTime: .seconds(100), streamTime: .seconds(1))
        var (_, texts) = follow(in: client.session(token: "secret"))
        let first = try await server.next()
        first.stream(event("snapshot", 1, "1"))
        #expect(await texts.next() == "1")
        await first.closed()
        try await clock.pass(pause: .seconds(1))
        #expect(try await server.next()["Last-Event-ID"] == "1.n")
    }

    @Test("are asked for after longer and longer pauses, and after the first one where a stream was good for 10 s")
    func pauses() async throws {
        var (_, texts) = follow()
        for pause in [1, 2, 4, 8, 10, 10] {
            let stream = try await server.next()
            stream.stream(event("snapshot", 1, "1"))
            stream.finish()
            try await clock.pass(pause: .seconds(pause))
            #expect(await texts.next() == "1")
        }
        let good = try await server.next()
        good.stream(event("snapshot", 2, "2"))
        #expect(await texts.next() == "2")
        clock.time.advance(by: .seconds(10))
        good.finish()
        try await clock.pass(pause: .seconds(1))
        _ = try await server.next()
    }

    @Test(
        "are asked for again as late as the server says",
        arguments: ["503 Service Unavailable", "429 Too Many Requests"])
    func retryAfter(status: String) async throws {
        var (_, texts) = follow()
        try await server.next().answer(status, "application/problem+json", "{}", "Retry-After: 17\r\n")
        try await clock.pass(.seconds(17))
        try await server.next().stream(event("snapshot", 1, "1"))
        #expect(await texts.next() == "1")
    }

    @Test("are asked for again after a page of HTML, where the server has answered before")
    func page() async throws {
        var (_, texts) = follow()
        let first = try await server.next()
        first.stream(event("snapshot", 1, "1"))
        first.finish()
        try await clock.pass(pause: .seconds(1))
        try await server.next().answer("200 OK", "text/html", "<html>Log in</html>")
        try await clock.pass(pause: .seconds(2))
        try await server.next().stream(event("delta", 2, "2"))
        #expect(await [texts.next(), texts.next()] == ["1", "2"])
    }

    @Test("end with what the server says of the session")
    func ended() async throws {
        let (following, _) = follow()
        try await server.next().stream("event: session-ended\ndata: {}\n\n")
        let call = try await server.next()
        #expect(call.line == "GET /session HTTP/1.1")
        call.answer("401 Unauthorized", "application/problem+json", #"{"type":"/problems/session-ended"}"#)
        let problem = await #expect(throws: RemoteProblem.self) { try await following.outcome }
        #expect(problem?.type == "/problems/session-ended")
    }
}
