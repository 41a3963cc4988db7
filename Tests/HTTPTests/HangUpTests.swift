import TestSupport
import Testing

@testable import HTTP

@Suite("Hang-ups", .timeLimit(.minutes(5)))
struct HangUpTests {
    static func parking(_ gate: Gate) -> Route {
        Route(.get, "/wait") { _ in
            .awaiting {
                try await gate.wait()
                return .text("woken")
            }
        }
    }

    static let request = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Parks without a task, and is answered when its client says that it will send no more.
    static let waiting = Route(.get, "/wait") { _ in
        Response(body: .later { pending in { _ in pending.answer(.text("idle")) } })
    }

    @Test("a parked client that resets is noticed, its task cancelled and its descriptor gone")
    func resetsWhileParked() async throws {
        let gate = Gate()
        try await withServer([Self.parking(gate)]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                return client
            }
            await eventually("it is parked") { live.server.gauges.parked == 1 }
            client.reset()
            await eventually("the task is cancelled") { gate.cancelled == 1 }
            await eventually("nothing of it is left") {
                let gauges = live.server.gauges
                return gauges.connections == 0 && gauges.exchanges == 0 && gauges.parked == 0
            }
            let held = try SocketTable.serverHoldsConnection(serverPort: live.port, clientPort: client.port)
            #expect(!held)
            await eventually("it is told") { !live.log.entries.isEmpty }
            #expect(live.log.entries.map(\.status) == [499])
            #expect(live.log.entries.map(\.ending) == [.clientGone])
            // What the cancelled task threw is in no line, and is not kept for one.
            await eventually("its cause is forgotten") { live.server.core.remarks.waiting == 0 }
        }
    }

    @Test("a client that asks and closes its half in one burst is answered and let go at once")
    func asksAndHalfCloses() async throws {
        try await withServer([.text("/", "hello")]) { live in
            let (closing, halfClosing) = try await onThread { () throws -> (Duration, Duration) in
                let clock = ContinuousClock()
                let closing = try clock.measure {
                    for _ in 0..<60 {
                        let response = try live.connect().get("/", "Connection: close")
                        #expect(response.text == "hello")
                    }
                }
                let halfClosing = try clock.measure {
                    for _ in 0..<60 {
                        let client = try live.connect()
                        try client.sendAndHalfClose("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        #expect(try client.readResponse().text == "hello")
                        #expect(client.isClosed())
                    }
                }
                return (closing, halfClosing)
            }
            // A quarter of a second each, were they seen only when the deadlines are looked at; however slow the machine is.
            #expect(halfClosing < closing * 3 + .seconds(6))
        }
    }

    @Test("a client that closes its half while it is parked is answered all the same", arguments: [1, 2])
    func halfClosesWhileParked(requests: Int) async throws {
        let gate = Gate()
        try await withServer([Self.parking(gate)]) { live in
            let client = try await onThread {
                let client = try live.connect()
                for _ in 0..<requests { try client.send(Self.request) }
                client.halfClose()
                return client
            }
            await eventually("it is parked") { live.server.gauges.parked == 1 && gate.arrived == 1 }
            gate.open()
            let texts = try await onThread { try (0..<requests).map { _ in try client.readResponse().text } }
            #expect(texts == Array(repeating: "woken", count: requests))
            #expect(gate.cancelled == 0)
            #expect(try await onThread { client.isClosed() })
            await eventually("nothing of it is left") { live.server.gauges.connections == 0 }
        }
    }

    @Test("what waits without a task is told of a FIN, and what it answers then is read")
    func toldOfFIN() async throws {
        try await withServer([Self.waiting]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                return client
            }
            await eventually("it is parked") { live.server.gauges.parked == 1 }
            client.halfClose()
            #expect(try await onThread { try client.readResponse().text } == "idle")
            await eventually("nothing of it is left") { live.server.gauges.connections == 0 }
        }
    }

    @Test("a FIN in one burst with the request is noticed as one that comes later")
    func finInTheBurst() async throws {
        try await withServer([Self.waiting, .text("/", "at once")]) { live in
            let texts = try await onThread {
                try ["GET /wait", "GET /", "POST /none"].map { line in
                    let client = try live.connect()
                    try client.sendAndHalfClose("\(line) HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.readResponse().text
                }
            }
            #expect(texts.prefix(2) == ["idle", "at once"])
            await eventually("nothing of them is left") { live.server.gauges.connections == 0 }
        }
    }

    @Test("a request that ends in its middle is dropped with its connection")
    func endsInTheMiddle() async throws {
        try await withServer([Route(.post, "/") { _ in .text("never") }]) { live in
            for text in ["POST / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"] {
                let client = try await onThread {
                    let client = try live.connect()
                    try client.sendAndHalfClose(text)
                    return client
                }
                #expect(try await onThread { try client.readToEnd() }.isEmpty)
                await eventually("nothing of it is left") {
                    live.server.gauges.connections == 0 && live.server.gauges.running == 0
                }
            }
        }
    }

    @Test("requests that wait behind a parked one do not disturb it, and are answered after it, in order")
    func pipelinedBehindParked() async throws {
        let gate = Gate()
        try await withServer([Self.parking(gate), .text("/next", "next")]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                return client
            }
            await eventually("it is parked") { live.server.gauges.parked == 1 }
            try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(live.server.gauges.parked == 1)
            gate.open()
            let texts = try await onThread { try (0..<3).map { _ in try client.readResponse().text } }
            #expect(texts == ["woken", "next", "woken"])
        }
    }

    @Test("a thousand clients that leave at once leave nothing behind", arguments: [false, true])
    func manyLeave(byReset: Bool) async throws {
        try await withServer([Self.waiting], crowd: true) { live in
            let clients = try await onThread {
                try (0..<1000).map { _ in
                    let client = try live.connect()
                    try client.send(Self.request)
                    return client
                }
            }
            await eventually("all are parked") { live.server.gauges.parked == 1000 }
            for client in clients { if byReset { client.reset() } else { client.close() } }
            await eventually("nothing of them is left") {
                live.server.gauges.connections == 0 && live.server.gauges.exchanges == 0
            }
        }
    }

    @Test("clients that leave while they are answered are answered or gone, never both")
    func leaveWhileAnswered() async throws {
        for _ in 0..<20 {
            let gate = Gate()
            try await withServer([Self.parking(gate)]) { live in
                let clients = try await onThread {
                    try (0..<50).map { _ in
                        let client = try live.connect()
                        try client.send(Self.request)
                        return client
                    }
                }
                await eventually("all are parked") { live.server.gauges.parked == 50 }
                async let leaving: Void = onThread { for client in clients { client.close() } }
                gate.open()
                try await leaving
                await eventually("nothing of them is left") {
                    live.server.gauges.connections == 0 && live.server.gauges.exchanges == 0
                }
                await eventually("all are told") { live.log.entries.count >= 50 }
                #expect(live.log.entries.count == 50)
            }
        }
    }

    @Test("a request may be read long after its client has left")
    func requestOutlivesClient() async throws {
        let (requests, kept) = AsyncStream.makeStream(of: Request.self)
        let gate = Gate()
        let route = Route(.post, "/{name}") { request in
            kept.yield(request)
            return .awaiting {
                try await gate.wait()
                return .text("never")
            }
        }
        var last: Request?
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(
                    "POST /poll?a=b HTTP/1.1\r\nHost: a\r\nIf-Match: \"1\"\r\nContent-Length: 4\r\n\r\nbody")
                return client
            }
            var iterator = requests.makeAsyncIterator()
            last = await iterator.next()
            client.reset()
            await eventually("it is gone") { live.server.gauges.connections == 0 }
        }
        let request = try #require(last)
        #expect(request.parameter("name") == "poll")
        #expect(try request.query()["a"] == "b")
        #expect(request.header(.ifMatch) == "\"1\"")
        #expect(request.body == Array("body".utf8))
    }
}
