import Samples
import TestSupport
import Testing

@testable import BinderyClient

extension WireTests {
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
}
