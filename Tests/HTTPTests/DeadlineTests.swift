import Glibc
import Locking
import TestSupport
import Testing

@testable import HTTP

/// Protects the server from slow clients, and patient clients from the deadlines.
@Suite("Deadlines", .timeLimit(.minutes(5)))
struct DeadlineTests {
    private static let routes = [
        Route.text("/", "ok"), .echo, Route(.get, "/large", answer: { _ in .large }),
        Route(.get, "/stream") { _, responder in
            let stream = responder.stream()
            for _ in 0..<3 { stream?.send(SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 80_000))) }
        },
    ]

    @Test(
        "a connection without a request is cut after the idle timeout",
        arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
    func idle(sent: String) async throws {
        try await withServer(Self.routes, limits: .forTests { $0.idleTimeout = .seconds(1) }) { live in
            try await live.talk { client in
                try client.send(sent)
                if !sent.isEmpty { #expect(try client.readResponse().text == "ok") }
                #expect(client.isClosed())
            }
        }
    }

    @Test(
        "a request that arrives too slowly is cut without an answer",
        arguments: [
            "G", "GET / HTTP/1.1\r\nHo", "GET / HTTP/1.1\r\nHost: a\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        ], [true, false])
    func tooSlow(start: String, isFirst: Bool) async throws {
        let limits = ServerLimits.forTests { ($0.headTimeout, $0.grace) = (.milliseconds(300), .milliseconds(300)) }
        try await withServer(Self.routes, limits: limits) { live in
            try await live.talk { client in
                if !isFirst { #expect(try client.get("/").text == "ok") }
                try client.send(start)
                #expect(client.isClosed())
            }
            await live.nothingIsLeft()
            #expect(live.log.entries.count == (isFirst ? 0 : 1))
        }
    }

    @Test("a head that trickles in is cut, however steadily it comes")
    func tricklingHead() async throws {
        try await withServer(Self.routes, limits: .forTests { $0.headTimeout = .seconds(3) }) { live in
            let client = try await live.begin("GET / HTTP/1.1\r\nX: ")
            await eventually("it is accepted") { live.server.gauges.connections == 1 }
            // Each byte is sent when the one before was read.
            try await eventually("it is cut") {
                if try SocketTable.serverHasReadAll(serverPort: live.port, clientPort: client.port) {
                    try? client.send("x")
                }
                return live.server.gauges.connections == 0
            }
        }
    }

    @Test("a client that does not take its answer or its stream is cut", arguments: ["/large", "/stream"])
    func takesNothing(path: String) async throws {
        try await withServer(Self.routes, limits: .forTests { $0.grace = .milliseconds(300) }) { live in
            let client = try await live.begin("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", receiveBuffer: 2048)
            await eventually("it is logged") { live.log.entries.count == 1 }
            await live.nothingIsLeft()
            #expect(live.log.entries.map(\.ending) == [path == "/large" ? .sent : .clientGone])
            withExtendedLifetime(client) {}
        }
    }

    @Test("a request that waits for its answer, and a stream without events, are no slow ones")
    func waitingIsNotSlow() async throws {
        let desk = Desk()
        let stream = Route(.get, "/quiet") { $1.stream()?.send(SharedBody([1])) }
        let limits = ServerLimits.forTests {
            ($0.grace, $0.idleTimeout, $0.headTimeout) = (.seconds(1), .seconds(1), .seconds(1))
        }
        try await withServer([desk.route, stream, .text("/", "ok")], limits: limits) { live in
            let waiting = try await live.begin(Desk.request)
            let streaming = try await live.begin("GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n")
            await eventually("both wait") { live.server.gauges.parked == 2 }
            // Each of these is cut after its time.
            for _ in 0..<2 { #expect(try await live.talk { $0.isClosed() }) }
            #expect(live.server.gauges.parked == 2)
            desk.answerAll("in time")
            #expect(try await onThread { try waiting.readResponse().text } == "in time")
            withExtendedLifetime(streaming) {}
        }
    }

    /// libmicrohttpd 0.9.75 spins on a chunk line without an end.
    @Test("endless chunk lines take little processor time", arguments: [600, 4000])
    func endlessChunkLine(bytes: Int) async throws {
        let loop = Lock<pthread_t?>(nil)
        let route = Route(.get, "/") { _, responder in
            loop.withLock { $0 = pthread_self() }
            responder.send(.text("ok"))
        }
        let limits = ServerLimits.forTests { ($0.threads, $0.grace) = (1, .seconds(3)) }
        try await withServer([route, .echo], limits: limits) { live in
            _ = try await live.get("/")
            let thread = try #require(loop.withLock { $0 })
            let before = processorTime(of: thread)
            let line = "1;" + String(repeating: "e", count: bytes)
            try await live.talk { client in
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + line)
                #expect(client.isClosed())
            }
            #expect(processorTime(of: thread) - before < .milliseconds(500))
        }
    }

    private func processorTime(of thread: pthread_t) -> Duration {
        var clock = clockid_t()
        var time = timespec()
        #expect(pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &time) == 0)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
