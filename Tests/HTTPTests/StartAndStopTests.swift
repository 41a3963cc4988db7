import HTTP
import TestSupport
import Testing

@Suite("Start and stop", .timeLimit(.minutes(5)))
struct StartAndStopTests {
    @Test("a port that is taken is a distinct error")
    func portInUse() async throws {
        try await withServer([]) { live in
            let other = Server(routes: [])
            let error = #expect(throws: StartError.self) { try other.start(port: live.port) }
            #expect(error?.code == .addressInUse)
            let words = "port \(live.port) of 127.0.0.1 is taken; choose another (port; --port), or 0 for a free one"
            #expect(error.map(String.init(describing:)) == words)
        }
    }

    @Test(
        "a host that is no address of this machine is a distinct error",
        arguments: ["example.org", "", "1.2.3", "192.0.2.1"])
    func badAddress(host: String) {
        #expect(#expect(throws: StartError.self) { try Server(routes: []).start(host: host) }?.code == .badAddress)
    }

    @Test(
        "localhost and literals of both families are listened on",
        arguments: ["localhost", "127.0.0.1", "::1", "::", "0.0.0.0"])
    func hosts(host: String) async throws {
        let server = Server(routes: [])
        #expect(try server.start(host: host) != 0)
        await server.stop(within: .zero)
    }

    @Test("a server starts once and stops as often as one likes")
    func onceOnly() async throws {
        let server = Server(routes: [])
        _ = try server.start()
        #expect(#expect(throws: StartError.self) { try server.start() }?.code == .alreadyStarted)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await server.stop(within: .seconds(1)) } }
        }
        await server.stop(within: .zero)
        #expect(#expect(throws: StartError.self) { try server.start() }?.code == .alreadyStarted)
    }

    @Test("a server that was never started can be stopped and dropped")
    func neverStarted() async {
        let server = Server(routes: [])
        await server.stop(within: .zero)
    }

    @Test("a server that is dropped stops")
    func dropped() async throws {
        let port = try {
            try Server(routes: []).start()
        }()
        await eventually("nobody listens") { (try? RawClient(to: port)) == nil }
    }

    @Test("nobody is let in after the stop, and idle connections are closed by it")
    func closedAfterStop() async throws {
        try await withServer([.text("/", "")]) { live in
            let idle = try await onThread {
                let client = try live.connect()
                #expect(try client.get("/").status == 200)
                return client
            }
            await live.server.stop(within: .seconds(5))
            #expect(try await onThread { idle.isClosed() })
            await #expect(throws: RawClient.Failure.self) { try await onThread { _ = try live.connect() } }
        }
    }

    @Test("while it drains a request is still served, and its connection closed")
    func servesWhileDraining() async throws {
        try await withServer([.text("/", "still here")]) { live in
            live.server.beginDraining()
            let response = try await live.get("/")
            #expect(response.text == "still here")
            #expect(response["Connection"] == "close")
            #expect(try await live.get("/no")["Connection"] == "close")
        }
    }

    @Test("stopping under load loses no answer that was begun")
    func stopUnderLoad() async throws {
        let route = Route(.get, "/") { _ in
            .awaiting {
                await Task.yield()
                return .text("whole")
            }
        }
        for _ in 0..<10 {
            try await withServer([route]) { live in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<4 {
                        group.addTask {
                            try await onThread {
                                do {
                                    let client = try live.connect()
                                    while true {
                                        let response = try client.get("/")
                                        #expect(response.text == "whole" || response.status == 503)
                                    }
                                } catch {
                                    return
                                }
                            }
                        }
                    }
                    await eventually("there is load") { live.log.entries.count > 50 }
                    await live.server.stop(within: .milliseconds(50))
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("the descriptor limit is reported, and the limits in force have no zero")
    func limits() async throws {
        let server = Server(routes: [])
        let limits = server.limits
        #expect(server.fileDescriptorLimit >= 256)
        #expect(limits.threads > 0 && limits.bodyBytes == 65536)
        #expect(limits.connections > 0 && limits.connections < server.fileDescriptorLimit)
        #expect(limits.idleTimeout > .zero)
    }

    /// Bytes that nobody has read when a socket closes reset its connection, and with it what was answered before.
    @Test("a client that has not read its answers yet gets them, though it sends more while the server stops")
    func answersBehindStop() async throws {
        let text = String(repeating: "x", count: 300)
        for _ in 0..<8 {
            try await withServer([.text("/", text)]) { live in
                let client = try RawClient(to: live.port, receiveBuffer: 2048)
                let requests = String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 40)
                try client.send(requests)
                await eventually("all are answered") { live.log.entries.count == 40 }
                let clock = ContinuousClock()
                let start = clock.now
                async let stopped: Void = live.server.stop(within: .seconds(20))
                await eventually("it drains") { live.server.gauges.isDraining }
                let whole = try await onThread {
                    for _ in 0..<20 { try? client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
                    var whole = 0
                    while whole < 40, (try? client.readResponse().text) == text { whole += 1 }
                    return whole
                }
                // More time is promised to nobody: on a busy machine this client may need it.
                if clock.now - start < .milliseconds(400) { #expect(whole == 40) }
                await stopped
            }
        }
    }

    @Test("clients that never read hold up a stop once, however many loops there are")
    func stalledAtStop() async throws {
        var limits = ServerLimits.forTests
        limits.threads = 96
        let large = Route(.get, "/large") { _ in
            Response(body: .bytes([UInt8](repeating: UInt8(ascii: "x"), count: 60_000)))
        }
        try await withServer([.text("/", String(repeating: "x", count: 5000)), large], limits: limits) { live in
            var clients: [RawClient] = []
            for path in Array(repeating: "/", count: 288) + ["/large"] {
                let client = try RawClient(to: live.port, receiveBuffer: 2048)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                clients.append(client)
            }
            await eventually("they are answered") { live.log.entries.count >= 288 }
            let clock = ContinuousClock()
            let start = clock.now
            await live.server.stop(within: .milliseconds(10))
            // One second for all loops together; half of one each would be 48. Between them: a busy machine may take its time.
            #expect(clock.now - start < .seconds(36))
            withExtendedLifetime(clients) {}
        }
    }

    @Test("a stop waits for a request that is still arriving, and answers it")
    func arrivingWhileStopping() async throws {
        try await withServer([Route(.post, "/") { .text("\($0.body.count)") }]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell")
                return client
            }
            await eventually("it arrives") { live.server.gauges.running == 1 }
            async let stopped: Void = live.server.stop(within: .seconds(20))
            await eventually("it drains") { live.server.gauges.isDraining }
            try client.send("o")
            let response = try await onThread { try client.readResponse() }
            await stopped
            #expect(response.text == "5")
            #expect(response["Connection"] == "close")
        }
    }

    @Test(
        "a request that is still arriving when the time is over is told that the server stops",
        arguments: ["GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell"])
    func arrivingTooLong(part: String) async throws {
        try await withServer([Route(.post, "/") { _ in .text("done") }]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(part)
                return client
            }
            await eventually("it arrives") { live.server.gauges.running == 1 }
            await live.server.stop(within: .milliseconds(50))
            let response = try await onThread { try client.readResponse() }
            #expect(response.status == 503)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response["Retry-After"] != nil)
            #expect(live.log.entries.map(\.ending) == [.refused])
        }
    }

    @Test("a request whose handler had begun when the time was over is told so, and logged as answered, not as refused")
    func begunTooLong() async throws {
        let kept = History<PendingAnswer>()
        let route = Route(.post, "/") { _ in
            Response(
                body: .later { pending in
                    kept.note(pending)
                    return { _ in }
                })
        }
        try await withServer([route]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                return client
            }
            await eventually("it has begun") { !kept.elements.isEmpty }
            await live.server.stop(within: .milliseconds(50))
            #expect(try await onThread { try client.readResponse() }.status == 503)
            #expect(live.log.entries.map(\.ending) == [.sent])
        }
    }

    @Test("an answer that a client was still taking when the server stopped is logged as stopped")
    func takingWhileStopping() async throws {
        let large = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 4_000_000))
        try await withServer([Route(.get, "/") { _ in Response(body: .shared(large)) }]) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            await eventually("it is being answered") { live.server.gauges.running == 1 }
            await live.server.stop(within: .milliseconds(50))
            #expect(live.log.entries.map(\.ending) == [.stopped])
            withExtendedLifetime(client) {}
        }
    }

    @Test("a request that begins when the server has stopped already is told so, and harms nobody")
    func beginningTooLate() async throws {
        let large = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 4_000_000))
        let gate = Gate()
        let routes = [
            Route(.get, "/large") { _ in Response(body: .shared(large)) },
            Route(.get, "/held") { _ in
                .awaiting {
                    try await gate.wait()
                    return .text("held")
                }
            },
        ]
        try await withServer(routes) { live in
            // Whoever takes its answer slowly holds the end of the server up for a while.
            let slow = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            let (held, late) = try await onThread { (try live.connect(), try live.connect()) }
            try held.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
            await eventually("it waits") { gate.arrived == 1 }
            async let stopped: Void = live.server.stop(within: .milliseconds(50))
            #expect(try await onThread { try held.readResponse().status } == 503)
            let status = try await onThread {
                try? late.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
                return try? late.readResponse().status
            }
            // Where the machine was slower than the server's farewell, its connection is closed.
            #expect(status == nil || status == 503)
            await stopped
            withExtendedLifetime(slow) {}
        }
    }
}
