import Foundation
import Samples
import TestSupport
import Testing

@testable import BinderyClient

@Suite("The client on a bad line")
struct WireTests {
    let server: WireServer
    let timeline = ManualTimeline()
    let client: BinderyClient
    let session: RemoteSession
    var counter: RemoteViewModel<CounterViewModel> { session.viewModel(CounterViewModel.self) }

    init() throws {
        server = try WireServer()
        client = BinderyClient(server.url, by: timeline)
        session = client.session(token: "secret")
    }

    private func event(_ kind: String, _ seq: Int, _ text: String) -> String {
        let change = #"{"seq":\#(seq),"viewModel":"counter","output":"text","value":"\#(text)"}"#
        return
            "event: \(kind)\nid: k3.\(seq)\ndata: {\"kind\":\"\(kind)\",\"cursor\":\"k3.\(seq)\",\"changes\":[\(change)]}\n\n"
    }

    /// Moves the time on as soon as the client sleeps until then.
    private func wait(_ time: Duration) async throws {
        try await timeline.sleeper(until: timeline.now + time)
        timeline.advance(by: time)
    }

    /// Moves the time on to where the client sleeps until, once that is between the two.
    private func wait(_ time: Duration, atLeast least: Duration) async {
        let range = timeline.now + least...timeline.now + time
        var pause: Duration?
        _ = await eventually {
            pause = timeline.sleepers.first { range.contains($0) }
            return pause != nil
        }
        if let pause { timeline.advance(by: pause - timeline.now) }
    }

    @Test("comes back with its cursor after a stream that was cut in the middle of an event")
    func cut() async throws {
        let texts = Task { [counter] in
            var texts: [String] = []
            for try await text in counter.values(of: \.text) {
                texts.append(text)
                if texts.count == 2 { break }
            }
            return texts
        }
        var line = try await server.accept()
        #expect(line.field("Accept") == "text/event-stream" && line.field("Last-Event-ID") == nil)
        #expect(line.request.hasPrefix("GET /changes?topics=counter HTTP/1.1\r\n"))
        line.beginEvents()
        line.send("retry: 10\n" + event("snapshot", 1, "1") + event("delta", 2, "2").dropLast(20))
        line.finish()
        await wait(.milliseconds(10), atLeast: .milliseconds(5))
        line = try await server.accept()
        #expect(line.field("Last-Event-ID") == "k3.1" && line.field("Authorization") == "Bearer secret")
        line.beginEvents()
        line.send(event("delta", 2, "2"))
        #expect(try await texts.value == ["1", "2"])
        #expect(try await line.isClosed())
    }

    @Test("reads a character that comes in two pieces")
    func halfCharacter() async throws {
        let text = Task { [counter] in try await counter.values(of: \.text).first { _ in true } }
        let line = try await server.accept()
        line.beginEvents()
        for byte in event("snapshot", 1, "数🧵").utf8 { line.send([byte]) }
        #expect(try await text.value == "数🧵")
    }

    @Test("a ping moves the cursor, and gives nothing")
    func ping() async throws {
        let text = Task { [counter] in try await counter.values(of: \.text).first { _ in true } }
        var line = try await server.accept()
        line.beginEvents()
        line.send("retry: 0\nevent: ping\nid: k3.7\ndata: {}\n\n")
        line.finish()
        line = try await server.accept()
        #expect(line.field("Last-Event-ID") == "k3.7")
        line.beginEvents()
        line.send(event("delta", 8, "8"))
        #expect(try await text.value == "8")
    }

    @Test("what comes while nobody asks is one update, the newest of each output")
    func slowReader() async throws {
        var updates = session.changes().makeAsyncIterator()
        let sending = Task { [server] in
            let line = try await server.accept()
            line.beginEvents()
            line.send(event("snapshot", 1, "1"))
            return line
        }
        #expect(try await updates.next()?.kind == .snapshot(reason: "initial"))
        let line = try await sending.value
        line.send((2...50).map { event("delta", $0, "\($0)") }.joined())
        var seen: [String] = []
        while seen.last != "50", let update = try await updates.next() {
            #expect(update.changes.count == 1)
            seen.append(try #require(try update.value(of: \CounterViewModel.text)))
        }
        #expect(seen.map { Int($0) ?? 0 } == seen.map { Int($0) ?? 0 }.sorted())
    }

    @Test("a stream without a byte for its time is given up, and another opened")
    func silent() async throws {
        let text = Task { [counter] in try await counter.values(of: \.text).first { _ in true } }
        var line = try await server.accept()
        line.beginEvents()
        try await wait(.seconds(35))
        await wait(.seconds(1), atLeast: .milliseconds(500))
        line = try await server.accept()
        line.beginEvents()
        line.send(event("snapshot", 1, "1"))
        #expect(try await text.value == "1")
    }

    @Test("a server that accepts and never answers is given up after the time for an answer, and the connection closed")
    func neverAnswers() async throws {
        let asking = Task { [counter] in try await counter.state() }
        let line = try await server.accept()
        try await wait(.seconds(60))
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .timedOut)
        #expect(failure?.description.hasPrefix("GET /counter: nothing came for 60.0 seconds.") == true)
        #expect(try await line.isClosed())
    }

    @Test("whoever is cancelled is given nothing, and the connection closed")
    func cancelled() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        let line = try await server.accept()
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(try await line.isClosed())
        #expect(server.isDeserted)
    }

    @Test("an action is asked for again under one key where its answer was lost, or a proxy cannot reach the server")
    func repeated() async throws {
        let asking = Task { [counter] in try await counter.act("increment", LoginViewModel.Credentials(id: "taro")) }
        var keys: Set<String?> = []
        for failure in [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"te", "502 Bad Gateway", "503 Service Unavailable",
        ] {
            let line = try await server.accept()
            keys.insert(line.field("Idempotency-Key"))
            if failure.first?.isNumber == true {
                line.answer(failure, "text/html", "<html>", "Retry-After: 2\r\n")
            } else {
                line.send(failure)
            }
            line.finish()
            await wait(.seconds(8), atLeast: .milliseconds(500))
        }
        let line = try await server.accept()
        keys.insert(line.field("Idempotency-Key"))
        line.answer("200 OK", "application/json", #"{"text":"1","enabled":true,"alpha":1}"#, "ETag: \"k3.1\"\r\n")
        #expect(try await asking.value.text == "1")
        #expect(keys.count == 1)
    }

    @Test("an action is given up when patience is, and says what came last")
    func impatient() async throws {
        let client = BinderyClient(server.url, by: timeline) { $0.actionPatience = .zero }
        let counter = client.publicSession.viewModel(CounterViewModel.self)
        let asking = Task { try await counter.act("increment") }
        try await server.accept().answer("502 Bad Gateway", "text/html", "<html>")
        let problem = await #expect(throws: RemoteProblem.self) { try await asking.value }
        #expect(problem?.status == 502 && problem?.type == "about:blank")
        #expect(problem?.detail.contains("proxy") == true)
        #expect(server.isDeserted)
    }

    @Test("no redirect is followed, and no page taken for an answer", arguments: ["302 Found", "200 OK"])
    func foreign(status: String) async throws {
        let asking = Task { [session] in try await session.poll() }
        try await server.accept().answer(status, "text/html", "<html>", "Location: \(server.url)/elsewhere\r\n")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .notUnderstood && server.isDeserted)
    }

    @Test("a page is no event stream")
    func page() async throws {
        let asking = Task { [session] in
            var updates = session.changes().makeAsyncIterator()
            return try await updates.next()
        }
        try await server.accept().answer("200 OK", "text/html", "<html>")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .notUnderstood)
    }

    @Test("an answer that is larger than it may be is given up")
    func tooLarge() async throws {
        let client = BinderyClient(server.url, by: timeline) { $0.largestAnswer = 100 }
        let asking = Task { try await client.publicSession.cursor() }
        try await server.accept().answer("200 OK", "application/json", "\"\(String(repeating: "x", count: 200))\"")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.description.contains("larger than 100 bytes") == true)
    }

    @Test("where nobody listens, the error says where")
    func refused() async throws {
        let url = try WireServer().url
        let client = BinderyClient(url, by: timeline)
        let failure = await #expect(throws: RemoteFailure.self) { try await client.session() }
        #expect(failure?.code == .connectionLost)
        #expect(failure?.description.hasSuffix("See that the server runs at \(url).") == true)
    }
}
