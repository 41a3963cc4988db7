import Locking
import TestSupport
import Testing

@testable import HTTP

/// Sends the events that it is given, each when the stream takes it, and ends the stream after the last.
private final class Listed: EventSource {
    let stream: EventStream
    let rest: Lock<[[UInt8]]>
    let overs = Lock(0)
    let staysOpen: Bool

    init(_ stream: EventStream, _ events: [[UInt8]], staysOpen: Bool = false) {
        self.stream = stream
        self.staysOpen = staysOpen
        rest = Lock(events)
    }

    func streamIsReady() {
        while let next = rest.withLock({ $0.first }) {
            // Called again when there is room.
            guard stream.send(SharedBody(next)) == .taken else { return }
            rest.withLock { _ = $0.removeFirst() }
        }
        if !staysOpen { stream.finish() }
    }

    func streamIsOver() { overs.withLock { $0 += 1 } }
}

/// Counts what happens to sources.
private final class Counts: Sendable {
    enum Event { case made, ready, over }
    private let counts = Lock<[Event: Int]>([:])

    subscript(_ event: Event) -> Int { counts.withLock { $0[event, default: 0] } }
    func count(_ event: Event) { counts.withLock { $0[event, default: 0] += 1 } }
}

/// Sends one event for ever, as often as the stream takes it.
private final class Endless: EventSource {
    let stream: EventStream
    let event: SharedBody
    let counts: Counts

    init(_ stream: EventStream, _ event: SharedBody, _ counts: Counts) {
        self.stream = stream
        self.event = event
        self.counts = counts
    }

    func streamIsReady() {
        repeat { counts.count(.ready) } while stream.send(event) == .taken
    }

    func streamIsOver() { counts.count(.over) }
}

@Suite("Event streams", .timeLimit(.minutes(5)))
struct EventStreamTests {
    static let request = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func first(_ text: String = "event: first\ndata: \n\n") -> [[UInt8]] { [Array(text.utf8)] }

    @Test("what is sent before the answer is given follows its head", arguments: [false, true])
    func early(sends: Bool) async throws {
        let route = Route(.get, "/events") { _ in
            .eventStream { stream in
                if sends { #expect(stream.send(SharedBody(Self.first()[0])) == .taken) }
                stream.finish()
                return Listed(stream, [], staysOpen: true)
            }
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                let response = try client.readResponse()
                #expect(response.status == 200)
                #expect(response.body == (sends ? Self.first()[0] : []))
                #expect(client.isClosed())
            }
        }
    }

    @Test("events arrive in order, then the stream and the connection end")
    func inOrder() async throws {
        let events = (1...100).map { number in
            String(
                decoding: EventStream.frame(
                    event: "delta", id: "e.\(number)", data: Array("{\"n\":\(number)}".utf8),
                    retry: number == 1 ? 2000 : nil), as: UTF8.self)
        }
        let route = Route(.get, "/events") { _ in
            .eventStream { Listed($0, events.map { Array($0.utf8) }) }
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                let response = try client.readResponse()
                #expect(response.status == 200)
                #expect(response["Content-Type"] == "text/event-stream; charset=utf-8")
                #expect(response["Cache-Control"] == "no-store, no-transform")
                #expect(response["X-Accel-Buffering"] == "no")
                #expect(response["Incremental"] == "?1")
                #expect(response["Connection"] == "close")
                #expect(response["Request-Id"] != nil)
                #expect(response.text == events.joined())
                #expect(response.text.hasPrefix("retry: 2000\nevent: delta\nid: e.1\n"))
                #expect(client.isClosed())
            }
        }
    }

    @Test("an event arrives when it is sent, not when the next one is")
    func atOnce() async throws {
        let (sources, kept) = AsyncStream.makeStream(of: Listed.self)
        let route = Route(.get, "/events") { _ in
            .eventStream {
                let source = Listed($0, Self.first(), staysOpen: true)
                kept.yield(source)
                return source
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
            var iterator = sources.makeAsyncIterator()
            let source = try #require(await iterator.next())
            #expect(source.stream.send(SharedBody(Array("event: second\ndata: \n\n".utf8))) == .taken)
            source.stream.finish(saying: SharedBody(Array("event: last\ndata: \n\n".utf8)))
            try await onThread {
                for name in ["second", "last"] {
                    let chunk = try client.readChunk()
                    #expect(chunk.map { String(decoding: $0, as: UTF8.self) } == "event: \(name)\ndata: \n\n")
                }
                #expect(try client.readChunk() == nil)
            }
        }
    }

    @Test("HTTP/1.0 gets the same stream without chunks")
    func http10() async throws {
        let route = Route(.get, "/events") { _ in .eventStream { Listed($0, Self.first("event: only\ndata: x\n\n")) } }
        try await withServer([route]) { live in
            let response = try await live.exchange("GET /events HTTP/1.0\r\n\r\n")
            #expect(response["Transfer-Encoding"] == nil)
            #expect(response.text == "event: only\ndata: x\n\n")
        }
    }

    @Test(
        "a streaming client that leaves is noticed, its source told and its descriptor gone", arguments: [false, true])
    func leaves(halfCloses: Bool) async throws {
        let (sources, kept) = AsyncStream.makeStream(of: Listed.self)
        let route = Route(.get, "/events") { _ in
            .eventStream {
                let source = Listed($0, Self.first(), staysOpen: true)
                kept.yield(source)
                return source
            }
        }
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(Self.request)
                _ = try client.readHead()
                _ = try client.readChunk()
                return client
            }
            #expect(live.server.gauges.parked == 1)
            if halfCloses { client.halfClose() } else { client.close() }
            var iterator = sources.makeAsyncIterator()
            let source = try #require(await iterator.next())
            await eventually("the source is told") { source.overs.withLock { $0 } == 1 }
            #expect(source.stream.send(SharedBody([])) == .over)
            await eventually("no connection is left") { live.server.gauges.connections == 0 }
            let held = try SocketTable.serverHoldsConnection(serverPort: live.port, clientPort: client.port)
            #expect(!held)
        }
    }

    @Test(
        "a client that closes its half hears that the stream ends, and not that it was cut off",
        arguments: [false, true])
    func hearsTheEnd(inOneBurst: Bool) async throws {
        let route = Route(.get, "/events") { _ in .eventStream { Listed($0, Self.first(), staysOpen: true) } }
        try await withServer([route]) { live in
            let rest = try await onThread {
                let client = try live.connect()
                if inOneBurst {
                    try client.sendAndHalfClose(Self.request)
                    _ = try client.readHead()
                } else {
                    try client.send(Self.request)
                    _ = try client.readHead()
                    _ = try client.readChunk()
                    client.halfClose()
                }
                return try client.readToEnd()
            }
            #expect(String(decoding: rest, as: UTF8.self).hasSuffix("0\r\n\r\n"))
            await eventually("it is logged") { live.log.entries.map(\.ending) == [.clientGone] }
        }
    }

    @Test("a client that closes its half in the middle of an event still gets all of it, and the end")
    func hearsTheRest() async throws {
        // More than the kernel takes of one that does not read.
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        let route = Route(.get, "/events") { _ in
            .eventStream { Listed($0, Self.first() + [large], staysOpen: true) }
        }
        try await withServer([route]) { live in
            let rest = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send(Self.request)
                _ = try client.readHead()
                _ = try client.readChunk()
                // Some of the large one is there: the rest waits for room.
                _ = try client.read(count: 1000)
                client.halfClose()
                return try client.readToEnd()
            }
            #expect(rest.count > 990_000)
            #expect(String(decoding: rest.suffix(5), as: UTF8.self) == "0\r\n\r\n")
        }
    }

    @Test("begins with an event, also where its client closed its half before it began")
    func beginsBehindFarewell() async throws {
        let events = Route(.get, "/events") { _ in .eventStream { Listed($0, Self.first(), staysOpen: true) } }
        let other = Route(.get, "/other") { _ in Response(body: .bytes([])) }
        try await withServer([events, other]) { live in
            for _ in 0..<20 {
                let rest = try await onThread {
                    let client = try live.connect()
                    try client.sendAndHalfClose("GET /other HTTP/1.1\r\nHost: a\r\n\r\n" + Self.request)
                    _ = try client.readResponse()
                    _ = try client.readHead()
                    #expect(try client.readChunk() == Self.first()[0])
                    return try client.readToEnd()
                }
                #expect(String(decoding: rest, as: UTF8.self) == "0\r\n\r\n")
            }
        }
    }

    /// A source that always has more, for a client that reads nothing: what was sent stays within the kernel's buffers.
    @Test("a slow reader holds its source back, and its bytes stay few")
    func backPressure() async throws {
        let counts = Counts()
        let event = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 1000))
        let route = Route(.get, "/events") { _ in
            .eventStream { Endless($0, event, counts) }
        }
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send(Self.request)
                _ = try client.readHead()
                return client
            }
            // It goes on until the socket is full; from then on the count stands still.
            var last = -1
            await eventually("the source waits") {
                let now = counts[.ready]
                defer { last = now }
                return now == last && now > 0 && isStill(counts)
            }
            let stuck = counts[.ready]
            #expect(stuck < 300)
            // It goes on as soon as there is room.
            try await onThread { for _ in 0..<500 { _ = try client.readChunk() } }
            #expect(counts[.ready] > stuck)
            client.close()
            await eventually("the source is told") { counts[.over] == 1 }
            await eventually("nothing of it is left") { live.server.gauges.exchanges == 0 }
        }
    }

    /// Whether the count does not move for a while: there is no event for what does not happen.
    private func isStill(_ counts: Counts) -> Bool {
        let before = counts[.ready]
        let end = ContinuousClock.now + .milliseconds(200)
        while ContinuousClock.now < end {
            if counts[.ready] != before { return false }
        }
        return true
    }

    @Test("a client that takes its events too slowly is cut off, and the log says so")
    func tooSlow() async throws {
        let counts = Counts()
        let event = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 1000))
        let route = Route(.get, "/events") { _ in
            .eventStream { Endless($0, event, counts) }
        }
        var limits = ServerLimits.forTests
        limits.grace = .milliseconds(300)
        try await withServer([route], limits: limits) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send(Self.request)
                return client
            }
            await eventually("it is over") { counts[.over] == 1 && live.log.entries.count == 1 }
            #expect(live.log.entries.map(\.ending) == [.timeout])
            withExtendedLifetime(client) {}
        }
    }

    @Test("an event that is sent while another is on its way is not taken")
    func oneAtATime() async throws {
        let (sources, kept) = AsyncStream.makeStream(of: EventStream.self)
        let route = Route(.get, "/events") { _ in
            .eventStream {
                kept.yield($0)
                return Listed($0, [], staysOpen: true)
            }
        }
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send(Self.request)
                _ = try client.readHead()
                return client
            }
            var iterator = sources.makeAsyncIterator()
            let stream = try #require(await iterator.next())
            // More than the kernel takes of it.
            let large = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 4_000_000))
            #expect(stream.send(large) == .taken)
            #expect(stream.send(large) == .behind)
            withExtendedLifetime(client) {}
        }
    }

    @Test("stopping ends what streams, after what was sent")
    func stopped() async throws {
        final class Counted: EventSource {
            let listed: Listed
            let counts: Counts
            init(_ listed: Listed, _ counts: Counts) {
                self.listed = listed
                self.counts = counts
            }
            func streamIsReady() { listed.streamIsReady() }
            func streamIsOver() { counts.count(.over) }
        }
        let counts = Counts()
        let route = Route(.get, "/events") { _ in
            .eventStream { Counted(Listed($0, Self.first(), staysOpen: true), counts) }
        }
        try await withServer([route]) { live in
            let clients = try await onThread {
                try (0..<50).map { _ in
                    let client = try live.connect()
                    try client.send(Self.request)
                    return client
                }
            }
            await eventually("all stream") { live.server.gauges.parked == 50 }
            await live.server.stop(within: .zero)
            let texts = try await onThread { try clients.map { try $0.readResponse().text } }
            #expect(texts == Array(repeating: "event: first\ndata: \n\n", count: 50))
            #expect(counts[.over] == 50)
        }
    }

    @Test("a client that does not take its stream does not hold up the stop")
    func stoppedUnread() async throws {
        let large = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 4_000_000))
        let counts = Counts()
        let route = Route(.get, "/events") { _ in .eventStream { Endless($0, large, counts) } }
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send(Self.request)
                _ = try client.readHead()
                return client
            }
            await eventually("it has something to take") { counts[.ready] >= 1 }
            let start = ContinuousClock.now
            await live.server.stop(within: .zero)
            // A second for the last answers; ten minutes before the minimum rate counts, were that all there is. Between them: a
            // busy machine may take its time.
            #expect(ContinuousClock.now - start < .seconds(150))
            #expect(live.log.entries.map(\.ending) == [.timeout])
            withExtendedLifetime(client) {}
        }
    }

    @Test("what is sent after the end is refused")
    func afterTheEnd() async throws {
        let (streams, kept) = AsyncStream.makeStream(of: EventStream.self)
        let route = Route(.get, "/events") { _ in
            .eventStream {
                kept.yield($0)
                return Listed($0, Self.first())
            }
        }
        try await withServer([route]) { live in
            _ = try await live.get("/events")
            var iterator = streams.makeAsyncIterator()
            let stream = try #require(await iterator.next())
            #expect(stream.send(SharedBody([])) == .over)
        }
    }

    @Test("HEAD of a stream has its head, no length and nothing after it, and no source is made")
    func head() async throws {
        let counts = Counts()
        let route = Route(.get, "/events") { _ in
            .eventStream {
                counts.count(.made)
                return Listed($0, [])
            }
        }
        try await withServer([route]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n")
                let head = try client.readHead()
                #expect(head.status == 200)
                #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
                #expect(head["Content-Length"] == nil)
                #expect(try client.readToEnd() == [])
            }
            #expect(counts[.made] == 0)
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
