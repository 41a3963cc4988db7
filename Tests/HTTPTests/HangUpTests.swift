import HTTP
import TestSupport
import Testing

@Suite("Hang-ups", .timeLimit(.minutes(1)))
struct HangUpTests {
    static func parking(_ gate: Gate) -> Route {
        Route(.get, "/wait") { _ in
            try await gate.wait()
            return .text("woken")
        }
    }

    static let request = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"

    enum Farewell: CaseIterable {
        case closes, resets, closesHalf, closesAfterNextRequest
    }

    @Test(
        "a parked client that leaves is noticed, its task cancelled and its descriptor gone",
        arguments: Farewell.allCases)
    func leavesWhileParked(farewell: Farewell) async throws {
        let gate = Gate()
        try await withServer([Self.parking(gate)]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                return client
            }
            await eventually("it is parked") { live.server.gauges.watched == 1 }
            switch farewell {
            case .closes: client.close()
            case .resets: client.reset()
            case .closesHalf: client.halfClose()
            case .closesAfterNextRequest:
                try client.send(Self.request)
                client.halfClose()
            }
            await eventually("the task is cancelled") { gate.cancelled == 1 }
            await eventually("nothing of it is left") {
                let gauges = live.server.gauges
                return gauges.connections == 0 && gauges.exchanges == 0 && gauges.watched == 0 && gauges.parked == 0
            }
            let held = try SocketTable.serverHoldsConnection(serverPort: live.port, clientPort: client.port)
            #expect(!held)
            await eventually("it is logged as gone") { live.log.entries.map(\.status) == [499] }
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
            await eventually("it is parked") { live.server.gauges.watched == 1 }
            try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(live.server.gauges.parked == 1)
            gate.open()
            let texts = try await onThread { try (0..<3).map { _ in try client.readResponse().text } }
            #expect(texts == ["woken", "next", "woken"])
        }
    }

    @Test("a thousand clients that leave at once leave nothing behind")
    func manyLeave() async throws {
        let gate = Gate()
        try await withServer([Self.parking(gate)]) { live in
            let clients = try await onThread {
                try (0..<1000).map { _ in
                    let client = try live.connect()
                    try client.send(Self.request)
                    return client
                }
            }
            await eventually("all are parked") { live.server.gauges.watched == 1000 }
            for client in clients { client.close() }
            await eventually("all are cancelled") { gate.cancelled == 1000 }
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
                await eventually("all are parked") { live.server.gauges.watched == 50 }
                async let leaving: Void = onThread { for client in clients { client.close() } }
                gate.open()
                try await leaving
                await eventually("nothing of them is left") {
                    live.server.gauges.connections == 0 && live.server.gauges.exchanges == 0
                }
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
            try await gate.wait()
            return .text("never")
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
            client.close()
            await eventually("it is gone") { live.server.gauges.connections == 0 }
        }
        let request = try #require(last)
        #expect(request.parameter("name") == "poll")
        #expect(try request.query()["a"] == "b")
        #expect(request.header(.ifMatch) == "\"1\"")
        #expect(request.body == Array("body".utf8))
    }
}
