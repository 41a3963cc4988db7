import Foundation
import Samples
import TestSupport
import Testing

@testable import BinderyClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
        let text = Task { [counter] in try await counter.values(of: \.text, over: .stream).first { _ in true } }
        var line = try await server.accept()
        line.beginEvents()
        try await wait(.seconds(35))
        await wait(.seconds(1), atLeast: .milliseconds(500))
        line = try await server.accept()
        line.beginEvents()
        line.send(event("snapshot", 1, "1"))
        #expect(try await text.value == "1")
    }

    @Test("an app that is back asks anew at once, with its cursor", arguments: [RemoteChanges.Carrier.stream, .polls])
    func resumed(carrier: RemoteChanges.Carrier) async throws {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let following = Task { [counter] in
            for try await value in counter.values(of: \.text, over: carrier) { text.yield(value) }
        }
        defer { following.cancel() }
        var seen = texts.makeAsyncIterator()
        let change = #"{"seq":1,"viewModel":"counter","output":"text","value":"1"}"#
        let first = try await server.accept()
        if carrier == .stream {
            first.beginEvents()
            first.send(event("snapshot", 1, "1"))
        } else {
            first.answerOn(
                "200 OK", "application/json",
                #"{"kind":"snapshot","reason":"initial","cursor":"k3.1","changes":[\#(change)]}"#)
            try await first.next()
        }
        #expect(await seen.next() == "1")
        #expect(await eventually { client.resumptions.count == 1 })
        // It hangs: nobody tells either end.
        client.resume()
        let second = try await server.accept()
        #expect(try await first.isClosed())
        if carrier == .stream {
            #expect(second.field("Last-Event-ID") == "k3.1")
            second.beginEvents()
            second.send(event("delta", 2, "2"))
        } else {
            #expect(second.request.contains("since=k3.1"))
            second.answer(
                "200 OK", "application/json",
                #"{"kind":"delta","cursor":"k3.2","changes":[\#(change.replacingOccurrences(of: "1", with: "2"))]}"#)
        }
        #expect(await seen.next() == "2")
    }

    @Test("an app that is back does not wait for the end of a pause")
    func resumedInAPause() async throws {
        let text = Task { [counter] in try await counter.values(of: \.text, over: .stream).first { _ in true } }
        var line = try await server.accept()
        line.answer("503 Service Unavailable", "text/plain", "")
        #expect(await eventually { timeline.sleepers.contains { (.milliseconds(500)...(.seconds(1))).contains($0) } })
        client.resume()
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

    @Test("an action is given up after its time, and the error says so, and what came last")
    func gaveUp() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        for retryAfter in [1, 10, 15] {
            let start = timeline.now
            try await server.accept().answer(
                "503 Service Unavailable", "text/html", "", "Retry-After: \(retryAfter)\r\n")
            await wait(.seconds(retryAfter), atLeast: .seconds(retryAfter))
            #expect(timeline.now - start == .seconds(retryAfter))
        }
        try await server.accept().answer("503 Service Unavailable", "text/html", "", "Retry-After: 10\r\n")
        let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
        #expect(failure?.code == .gaveUp && (failure?.cause as? RemoteProblem)?.status == 503)
        #expect(
            failure?.description.hasPrefix(
                "POST /counter/increment: given up after 4 attempts within 30.0 seconds; it may have been done. The last: "
                    + "POST /counter/increment: 503 ") == true)
        #expect(server.isDeserted)
    }

    @Test(
        "an action is never asked for again after what the server has made up its mind about",
        arguments: [
            ("400 Bad Request", "malformed"), ("409 Conflict", "action-disabled"),
            ("429 Too Many Requests", "too-many"),
            ("500 Internal Server Error", "internal-error"), ("504 Gateway Timeout", "action-timeout"),
        ])
    func decided(status: String, kind: String) async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        let body = #"{"type":"/problems/\#(kind)","status":\#(status.prefix(3)),"detail":"No."}"#
        try await server.accept().answer(status, "application/problem+json", body, "Retry-After: 1\r\n")
        let problem = await #expect(throws: RemoteProblem.self) { try await asking.value }
        #expect(problem?.type == "/problems/\(kind)" && server.isDeserted)
    }

    @Test("a 504 of a proxy is no outcome: the action is asked for again")
    func proxyTimeout() async throws {
        let asking = Task { [counter] in try await counter.act("increment") }
        try await server.accept().answer("504 Gateway Timeout", "text/html", "<html>")
        await wait(.seconds(1), atLeast: .milliseconds(500))
        try await server.accept().answer(
            "200 OK", "application/json", #"{"text":"1","enabled":true,"alpha":1}"#, "ETag: \"k3.1\"\r\n")
        #expect(try await asking.value.text == "1")
    }

    @Test("an action that is asked for once fails with what came")
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

    /// The next pause of whoever follows changes, and the time moved on by it.
    private func pause(atLeast least: Duration, _ most: Duration) async -> Duration {
        let start = timeline.now
        await wait(most, atLeast: least)
        return timeline.now - start
    }

    @Test(
        "a server that accepts, says something and closes is left alone for longer each time: six attempts in ten seconds"
    )
    func flapping() async throws {
        let following = Task { [session] in for try await _ in session.changes(over: .stream) {} }
        var attempts = 0
        for longest in [1, 2, 4, 8, 10, 10] as [Double] where timeline.now < .seconds(10) {
            let line = try await server.accept()
            attempts += 1
            line.beginEvents()
            line.send(event("snapshot", 1, "1"))
            line.finish()
            #expect(try await line.isClosed())
            #expect(await pause(atLeast: .seconds(longest / 2), .seconds(longest)) > .zero)
        }
        #expect(attempts <= 6 && timeline.now >= .seconds(10))
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test("a stream that was there for ten seconds, and heard, is followed by another after the first pause")
    func goodLife() async throws {
        let seen = History<RemoteCursor>()
        let following = Task { [session] in
            for try await update in session.changes(over: .stream) { seen.note(update.cursor) }
        }
        for number in 1...3 {
            let line = try await server.accept()
            line.beginEvents()
            line.send(event("snapshot", 1, "1"))
            #expect(await eventually { seen.elements.count == number })
            try await wait(.seconds(35))
            let pause = await pause(atLeast: .milliseconds(500), .seconds(1))
            #expect(pause >= .milliseconds(500) && pause <= .seconds(1))
        }
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test(
        "where two streams are held back it is polled with the same cursor, and a stream tried again after five minutes"
    )
    func heldBack() async throws {
        let seen = History<String>()
        let texts = Task { [session] in
            let changes = session.changes(topics: ["counter"]).onConnection { connection in
                if case .live(let carrier) = connection { seen.note("\(carrier)") }
            }
            var texts: [String] = []
            for try await update in changes {
                texts += try [update.value(of: \CounterViewModel.text)].compactMap(\.self)
                if texts.count == 2 { break }
            }
            return texts
        }
        for _ in 0..<2 {
            let line = try await server.accept()
            #expect(line.field("Accept") == "text/event-stream")
            line.beginEvents()
            try await wait(.seconds(5))
            #expect(try await line.isClosed())
        }
        var line = try await server.accept()
        #expect(line.request.hasPrefix("GET /changes?wait=25&topics=counter HTTP/1.1\r\n"))
        let change = #"{"seq":1,"viewModel":"counter","output":"text","value":"1"}"#
        line.answer("200 OK", "application/json", #"{"kind":"delta","cursor":"k3.1","changes":[\#(change)]}"#)
        for _ in 0..<4 {
            line = try await server.accept()
            #expect(line.request.hasPrefix("GET /changes?since=k3.1&wait=25&topics=counter HTTP/1.1\r\n"))
            timeline.advance(by: .seconds(75))
            line.answer("200 OK", "application/json", #"{"kind":"idle","cursor":"k3.1","changes":[]}"#)
        }
        line = try await server.accept()
        #expect(line.field("Accept") == "text/event-stream" && line.field("Last-Event-ID") == "k3.1")
        line.beginEvents()
        line.send(event("delta", 2, "2"))
        #expect(try await texts.value == ["1", "2"])
        #expect(seen.elements == ["polls"])
    }

    @Test("a page is no event stream; behind one that was, it is a line that is lost")
    func pageLater() async throws {
        let text = Task { [session] in
            var updates = session.changes().makeAsyncIterator()
            _ = try await updates.next()
            return try await updates.next()?.value(of: \CounterViewModel.text)
        }
        var line = try await server.accept()
        line.beginEvents()
        line.send(event("snapshot", 1, "1"))
        line.finish()
        await wait(.seconds(1), atLeast: .milliseconds(500))
        try await server.accept().answer("200 OK", "text/html", "<html>Log in to the network</html>")
        await wait(.seconds(2), atLeast: .seconds(1))
        line = try await server.accept()
        #expect(line.field("Last-Event-ID") == "k3.1")
        line.beginEvents()
        line.send(event("delta", 2, "2"))
        #expect(try await text.value == "2")
    }

    @Test("a poll whose place another one takes is not asked again at once")
    func superseded() async throws {
        let following = Task { [session] in for try await _ in session.changes(over: .polls) {} }
        try await server.accept().answer(
            "200 OK", "application/json", #"{"kind":"idle","superseded":true,"cursor":"k3.1","changes":[]}"#)
        await wait(.seconds(1), atLeast: .milliseconds(500))
        #expect(try await server.accept().request.contains("since=k3.1"))
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test("too many streams are waited for, as long as the server says")
    func tooManyStreams() async throws {
        let following = Task { [session] in for try await _ in session.changes() {} }
        try await server.accept().answer(
            "429 Too Many Requests", "application/problem+json", "{}", "Retry-After: 7\r\n")
        #expect(await pause(atLeast: .seconds(7), .seconds(7)) == .seconds(7))
        #expect(try await server.accept().field("Accept") == "text/event-stream")
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
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
        try await withNobodyListening { url in
            let client = BinderyClient(url, by: timeline)
            let failure = await #expect(throws: RemoteFailure.self) { try await client.session() }
            #expect(failure?.code == .connectionLost)
            #expect(failure?.description.hasPrefix("POST /sessions: no connection came about: ") == true)
            #expect(failure?.description.hasSuffix("See that the server runs at \(url).") == true)
        }
    }

    @Test("an action that nobody was there for is given up, and the error says that it was not done")
    func neverReached() async throws {
        try await withNobodyListening { url in
            let client = BinderyClient(url, by: timeline) { $0.actionPatience = .milliseconds(1500) }
            let asking = Task { try await client.publicSession.viewModel(CounterViewModel.self).act("increment") }
            await wait(.seconds(1), atLeast: .milliseconds(500))
            let failure = await #expect(throws: RemoteFailure.self) { try await asking.value }
            #expect(failure?.code == .gaveUp)
            #expect(failure?.description.contains("; it was not done: POST /counter/increment: no connection") == true)
        }
    }

    @Test(
        "an error says where a server is as its URL does",
        arguments: [
            ("https://bindery.example.org", "https://bindery.example.org"),
            ("http://[::1]:8080/at", "http://[::1]:8080"),
        ])
    func place(url: String, place: String) throws {
        #expect(URLRequest(url: try #require(URL(string: url))).place == place)
    }
}
