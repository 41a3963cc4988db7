import Locking
import TestSupport
import Testing

@testable import HTTP

@Suite("Event streams", .timeLimit(.minutes(1)))
struct EventStreamTests {
    static let request = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("events arrive in order, then the stream and the connection end")
    func inOrder() async throws {
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                do {
                    for number in 1...100 {
                        try await stream.send(
                            event: "delta", id: "e.\(number)", data: Array("{\"n\":\(number)}".utf8),
                            retry: number == 1 ? 2000 : nil)
                        if number % 10 == 0 { await Task.yield() }
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                let response = try client.readResponse()
                #expect(response.status == 200)
                #expect(response["Content-Type"] == "text/event-stream")
                #expect(response["Cache-Control"] == "no-store, no-transform")
                #expect(response["X-Accel-Buffering"] == "no")
                #expect(response["Incremental"] == "?1")
                #expect(response["Connection"] == "close")
                #expect(response["Request-Id"] != nil)
                let expected =
                    "retry: 2000\n"
                    + (1...100).map { "event: delta\nid: e.\($0)\ndata: {\"n\":\($0)}\n\n" }.joined()
                #expect(response.text == expected)
                #expect(client.isClosed())
            }
        }
    }

    @Test("an event arrives when it is sent, not when the next one is")
    func atOnce() async throws {
        let gate = Gate()
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                try? await stream.send(event: "first", data: [])
                try? await gate.wait()
                try? await stream.send(event: "second", data: [])
            }
        }
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                _ = try client.readHead()
                let chunk = try client.readChunk()
                #expect(chunk.map { String(decoding: $0, as: UTF8.self) } == "event: first\ndata: \n\n")
                return client
            }
            gate.open()
            try await onThread {
                let chunk = try client.readChunk()
                #expect(chunk.map { String(decoding: $0, as: UTF8.self) } == "event: second\ndata: \n\n")
                #expect(try client.readChunk() == nil)
            }
        }
    }

    @Test("HTTP/1.0 gets the same stream without chunks")
    func http10() async throws {
        let route = Route(.get, "/events") { _ in
            .eventStream { try? await $0.send(event: "only", data: Array("x".utf8)) }
        }
        try await withServer([route]) { live in
            let response = try await live.exchange("GET /events HTTP/1.0\r\n\r\n")
            #expect(response["Transfer-Encoding"] == nil)
            #expect(response.text == "event: only\ndata: x\n\n")
        }
    }

    @Test("a streaming client that leaves is noticed, its task cancelled and its descriptor gone")
    func leaves() async throws {
        let gate = Gate()
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                try? await stream.send(event: "first", data: [])
                try? await gate.wait()
                await #expect(throws: EventStream.Closed.self) { try await stream.send(event: "late", data: []) }
            }
        }
        for halfCloses in [false, true] {
            let cancelled = gate.cancelled
            try await withServer([route]) { live in
                let client = try await onThread {
                    let client = try live.connect()
                    try client.send(Self.request)
                    _ = try client.readHead()
                    return client
                }
                await eventually("it has nothing to send") {
                    live.server.gauges.parked == 1 && gate.arrived > cancelled
                }
                if halfCloses { client.halfClose() } else { client.close() }
                await eventually("the task is cancelled") { gate.cancelled == cancelled + 1 }
                await eventually("nothing of it is left") {
                    live.server.gauges.connections == 0 && live.server.gauges.exchanges == 0
                }
                let held = try SocketTable.serverHoldsConnection(serverPort: live.port, clientPort: client.port)
                #expect(!held)
            }
        }
    }

    /// A hundred megabytes for a client that reads none: what was sent stays within the buffers.
    @Test("a writer waits for a slow reader, and its bytes stay few")
    func backPressure() async throws {
        let sent = Lock(0)
        let waited = Gate()
        let event = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                while sent.withLock({ $0 }) < 100_000_000, (try? await stream.send(event: "e", data: event)) != nil {
                    sent.withLock { $0 += event.count }
                }
                waited.open()
            }
        }
        var limits = ServerLimits.forTests
        limits.streamBufferBytes = 8192
        try await withServer([route], limits: limits) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send(Self.request)
                _ = try client.readHead()
                return client
            }
            // It goes on until it has to wait; from then on the count stands still.
            var last = -1
            await eventually("the writer waits") {
                let now = sent.withLock { $0 }
                defer { last = now }
                return now == last && live.server.gauges.running == 1 && now > 0 && isStill(sent)
            }
            let stuck = sent.withLock { $0 }
            #expect(stuck < 1_000_000)
            // It goes on as soon as there is room.
            try await onThread { for _ in 0..<500 { _ = try client.readChunk() } }
            #expect(sent.withLock { $0 } > stuck)
            client.close()
            try await waited.wait()
            await eventually("nothing of it is left") { live.server.gauges.exchanges == 0 }
        }
    }

    /// Whether the count does not move for a while: there is no event for what does not happen.
    private func isStill(_ count: borrowing Lock<Int>) -> Bool {
        let before = count.withLock { $0 }
        let end = ContinuousClock.now + .milliseconds(200)
        while ContinuousClock.now < end {
            if count.withLock({ $0 }) != before { return false }
        }
        return true
    }

    @Test("many writers share a stream; each event stays whole")
    func manyWriters() async throws {
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                await withTaskGroup { group in
                    for writer in 0..<8 {
                        group.addTask {
                            let data = [UInt8](repeating: UInt8(ascii: "a") + UInt8(writer), count: 700)
                            for _ in 0..<50 { try? await stream.send(event: "w\(writer)", data: data) }
                        }
                    }
                }
            }
        }
        var limits = ServerLimits.forTests
        limits.streamBufferBytes = 2048
        try await withServer([route], limits: limits) { live in
            let text = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                return try client.readResponse().text
            }
            let events = text.split(separator: "\n\n")
            #expect(events.count == 400)
            for writer in 0..<8 {
                let letter = String(repeating: String(UnicodeScalar(UInt8(ascii: "a") + UInt8(writer))), count: 700)
                #expect(events.count { $0 == "event: w\(writer)\ndata: \(letter)" } == 50)
            }
        }
    }

    @Test("stopping ends what streams")
    func stopped() async throws {
        let gate = Gate()
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                try? await stream.send(event: "first", data: [])
                try? await gate.wait()
            }
        }
        try await withServer([route]) { live in
            let clients = try await onThread {
                try (0..<50).map { _ in
                    let client = try live.connect()
                    try client.send(Self.request)
                    return client
                }
            }
            await eventually("all stream") { gate.arrived == 50 && live.server.gauges.parked == 50 }
            await live.server.stop(within: .zero)
            let texts = try await onThread { try clients.map { try $0.readResponse().text } }
            #expect(texts == Array(repeating: "event: first\ndata: \n\n", count: 50))
            #expect(gate.cancelled == 50)
        }
    }

    @Test("what is sent after the end is refused")
    func afterTheEnd() async throws {
        let (streams, kept) = AsyncStream.makeStream(of: EventStream.self)
        let route = Route(.get, "/events") { _ in .eventStream { kept.yield($0) } }
        try await withServer([route]) { live in
            _ = try await live.get("/events")
            var iterator = streams.makeAsyncIterator()
            let stream = try #require(await iterator.next())
            await #expect(throws: EventStream.Closed.self) { try await stream.send(event: "late", data: []) }
        }
    }

    @Test(
        "an event is framed as the standard says",
        arguments: [
            ("a\nb", "event: e\ndata: a\ndata: b\n\n"), ("", "event: e\ndata: \n\n"),
            ("a\r\nb\n", "event: e\ndata: a\ndata: b\ndata: \n\n"),
        ])
    func frame(data: String, frame: String) {
        #expect(
            String(decoding: EventStream.frame(event: "e", id: nil, data: Array(data.utf8)), as: UTF8.self) == frame)
    }

    @Test("a line break in an event's name or id cannot make a field of its own")
    func injection() {
        let frame = EventStream.frame(event: "e\ndata: x", id: "1\r\nid: 2", data: [])
        #expect(String(decoding: frame, as: UTF8.self) == "event: e\nid: 1\ndata: \n\n")
    }
}
