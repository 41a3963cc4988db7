import HTTP
import Locking
import TestSupport
import Testing

/// Protects event streams: order, end, and clients that leave or lag.
@Suite("Streams", .timeLimit(.minutes(5)))
struct StreamTests {
    private static let request = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"
    private let streams = History<HTTP.Stream>()
    private let hangUps = History<ExchangeEntry.Ending>()

    /// Begins a stream with an event and leaves the rest to the test.
    private var route: Route {
        Route(.get, "/events") { [streams, hangUps] _, responder in
            responder.onHangUp { hangUps.append($0) }
            guard let stream = responder.stream() else { return }
            stream.send(Self.event("first"))
            streams.append(stream)
        }
    }

    private static func event(_ name: String) -> SharedBody { SharedBody(Array(text(name).utf8)) }
    private static func text(_ name: String) -> String { "event: \(name)\ndata: \n\n" }

    /// A client that has read the first event, and its stream.
    private func begin(_ live: LiveServer) async throws -> (client: RawClient, stream: HTTP.Stream) {
        let count = streams.all.count
        let client = try await live.begin(Self.request)
        let first = try await onThread {
            _ = try client.readHead()
            return try client.readChunk()
        }
        #expect(first.map { String(utf8: $0) } == Self.text("first"))
        return (client, streams.all[count])
    }

    @Test("events arrive in order, then the stream and the connection end")
    func inOrder() async throws {
        let events = (1...100).map { number in
            HTTP.Stream.frame(
                event: "delta", id: "e.\(number)", data: Array("{\"n\":\(number)}".utf8),
                retry: number == 1 ? 2000 : nil)
        }
        let route = Route(.get, "/events") { _, responder in
            let stream = responder.stream()
            for event in events { stream?.send(SharedBody(event)) }
            stream?.finish()
        }
        try await withServer([route]) { live in
            try await live.talk { client in
                try client.send(Self.request)
                let response = try client.readResponse()
                #expect(response.status == 200)
                #expect(response["Content-Type"] == "text/event-stream; charset=utf-8")
                #expect(response["Cache-Control"] == "no-store, no-transform")
                #expect(response["X-Accel-Buffering"] == "no")
                #expect(response["Connection"] == "close")
                #expect(response["Request-Id"] != nil)
                #expect(response.body == Array(events.joined()))
                #expect(response.text.hasPrefix("retry: 2000\nevent: delta\nid: e.1\n"))
                #expect(client.isClosed())
            }
            await eventually("it is logged when it ends") { live.log.entries.map(\.ending) == [.sent] }
        }
    }

    @Test("an event arrives when it is sent, and the end says a last one; later events are refused")
    func atOnce() async throws {
        try await withServer([route]) { live in
            let (client, stream) = try await begin(live)
            #expect(live.log.entries.isEmpty)
            for name in ["second", "third"] {
                #expect(stream.send(Self.event(name)))
                #expect(try await onThread { try client.readChunk() }.map { String(utf8: $0) } == Self.text(name))
            }
            stream.finish(saying: Self.event("last"))
            #expect(!stream.send(Self.event("never")))
            #expect(try await onThread { try client.readChunk() }.map { String(utf8: $0) } == Self.text("last"))
            #expect(try await onThread { try client.readChunk() } == nil)
            await eventually("its end is told") { hangUps.all == [.sent] }
            #expect(live.log.entries.map(\.ending) == [.sent])
        }
    }

    @Test("HTTP/1.0 gets the same stream without chunks")
    func http10() async throws {
        try await withServer([Route(.get, "/events") { $1.stream()?.finish(saying: Self.event("only")) }]) { live in
            let response = try await live.exchange("GET /events HTTP/1.0\r\n\r\n")
            #expect(response["Transfer-Encoding"] == nil)
            #expect(response.text == Self.text("only"))
        }
    }

    @Test("HEAD of a stream has its head and nothing after it")
    func head() async throws {
        try await withServer([route]) { live in
            try await live.talk { client in
                try client.send("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n")
                let head = try client.readHead()
                #expect(head.status == 200)
                #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
                client.halfClose()
                #expect(try client.readToEnd() == [])
            }
            #expect(streams.all.map { $0.send(Self.event("never")) } == [false])
            #expect(live.log.entries.map(\.ending) == [.sent])
        }
    }

    enum Leaving: CaseIterable { case close, halfClose, reset }

    @Test("a client that leaves its stream is noticed, and nothing of it is left", arguments: Leaving.allCases)
    func leaves(how: Leaving) async throws {
        try await withServer([route]) { live in
            let (client, stream) = try await begin(live)
            // The client may have the first event before the loop waits for the next one.
            await eventually("it waits") { live.server.gauges.parked == 1 }
            switch how {
            case .close: client.close()
            case .halfClose: client.halfClose()
            case .reset: client.reset()
            }
            await eventually("it is told") { hangUps.all == [.clientGone] }
            await eventually("no connection is left") { live.server.gauges.connections == 0 }
            #expect(!stream.send(Self.event("never")))
            #expect(try !SocketTable.serverHoldsConnection(serverPort: live.port, clientPort: client.port))
            #expect(live.log.entries.map(\.ending) == [.clientGone])
        }
    }

    @Test("a stream whose client lags behind takes no more and ends", arguments: [(128, 10), (10, 40_000)])
    func lags(events: Int, bytes: Int) async throws {
        try await withServer([route]) { live in
            let client = try await live.begin(Self.request, receiveBuffer: 2048)
            await eventually("it streams") { streams.all.count == 1 && live.server.gauges.parked == 1 }
            let stream = streams.all[0]
            // The kernel takes a part of what a client does not read.
            let filling = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 200_000))
            #expect(stream.send(filling))
            let event = SharedBody([UInt8](repeating: UInt8(ascii: "y"), count: bytes))
            var taken = 0
            while stream.send(event) { taken += 1 }
            #expect(taken < events)
            #expect(!stream.send(Self.event("never")))
            let rest = try await onThread { try client.readToEnd() }
            #expect(rest.count >= 200_000)
            await eventually("its end is told") { hangUps.all == [.sent] }
            await eventually("nobody is there") { live.server.gauges.connections == 0 }
        }
    }

    @Test("stopping ends streams after what was sent, and each is told")
    func stopped() async throws {
        try await withServer([route]) { live in
            var clients: [RawClient] = []
            for _ in 0..<20 { clients.append(try await begin(live).client) }
            for stream in streams.all { stream.send(Self.event("second")) }
            await live.server.stop(within: .zero)
            let texts = try await onThread { [clients] in
                try clients.map { String(utf8: try #require(try $0.readChunk())) + "\(try $0.readChunk() == nil)" }
            }
            #expect(texts == Array(repeating: Self.text("second") + "true", count: 20))
            #expect(hangUps.all == Array(repeating: .stopped, count: 20))
            #expect(live.log.entries.map(\.ending) == Array(repeating: .stopped, count: 20))
        }
    }

    @Test(
        "an event is framed as the standard says",
        arguments: [
            ("e", nil, "a", "event: e\ndata: a\n\n"), ("e", "1", "", "event: e\nid: 1\ndata: \n\n"),
        ] as [(String, String?, String, String)])
    func frame(event: String, id: String?, data: String, frame: String) {
        #expect(String(utf8: HTTP.Stream.frame(event: event, id: id, data: Array(data.utf8))) == frame)
    }
}
