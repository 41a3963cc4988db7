import Dispatch
import HTTP
import TestSupport
import Testing

@Suite("Connections", .timeLimit(.minutes(5)))
struct ConnectionTests {
    /// A route at `/hold` that keeps its event loop until it is released.
    private struct Hold {
        let begun: AsyncStream<Void>
        let release = DispatchSemaphore(value: 0)

        private let isHeld: AsyncStream<Void>.Continuation

        init() { (begun, isHeld) = AsyncStream.makeStream() }

        var route: Route {
            Route(.get, "/hold") { [isHeld, release] _ in
                isHeld.yield()
                release.wait()
                return .text("held")
            }
        }
    }

    @Test("one connection serves many requests, each with an id of its own")
    func keepAlive() async throws {
        try await withServer([.text("/", "ok")]) { live in
            let ids = try await onThread {
                let client = try live.connect()
                return try (0..<100).map { index in try client.get(index % 3 == 0 ? "/no" : "/")["Request-Id"] ?? "" }
            }
            #expect(Set(ids).count == 100)
            #expect(ids.allSatisfy { $0.count > 9 })
            #expect(Set(ids.map { $0.prefix(9) }).count == 1)
            await eventually("all are logged") { live.log.entries.count == 100 }
            #expect(live.log.entries.map(\.requestID) == ids)
        }
    }

    @Test("pipelined requests are answered in order, whichever is ready first")
    func pipelined() async throws {
        let gate = Gate()
        let routes = [
            Route(.get, "/slow") { _ in
                .awaiting {
                    try await gate.wait()
                    return .text("slow")
                }
            },
            Route(.post, "/echo") { request in .text(String(decoding: request.body, as: UTF8.self)) },
            Route(.get, "/open") { _ in
                gate.open()
                return .text("open")
            },
        ]
        try await withServer(routes) { live in
            let texts = try await onThread {
                let client = try live.connect()
                try client.send(
                    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nA"
                        + "GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /no HTTP/1.1\r\nHost: a\r\n\r\n"
                        + "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nB\r\n0\r\n\r\n")
                #expect(try client.readResponse().text == "A")
                let opener = try live.connect()
                #expect(try opener.get("/open").text == "open")
                return try [client.readResponse().text, "\(client.readResponse().status)", client.readResponse().text]
            }
            #expect(texts == ["slow", "404", "B"])
        }
    }

    /// libmicrohttpd's own threads would let exactly 128 of them lie (loop.c).
    ///
    /// The loop is kept busy until all have sent.
    @Test("requests that come together are all answered at once", arguments: [127, 128, 129, 256, 1024])
    func comeTogether(count: Int) async throws {
        let hold = Hold()
        var limits = ServerLimits.forTests
        limits.threads = 1
        try await withServer([hold.route, .text("/", "ok")], limits: limits, crowd: true) { live in
            let clients = try await onThread {
                let clients = try (0..<count).map { _ in try live.connect() }
                for client in clients { #expect(try client.get("/").status == 200) }
                return clients
            }
            let holder = try await onThread {
                let client = try live.connect()
                try client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            for await _ in hold.begun { break }
            try await onThread {
                for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
                hold.release.signal()
                for client in clients { #expect(try client.readResponse().text == "ok") }
                #expect(try holder.readResponse().text == "held")
            }
        }
    }

    /// A close with bytes unread is a reset, which takes the answer from the client's hands (RFC 9112, section 9.6).
    @Test("an answer that closes arrives whole, though the client goes on sending")
    func lateBytes() async throws {
        let large = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000))
        try await withServer([Route(.get, "/") { _ in Response(body: .shared(large)) }]) { live in
            try await onThread {
                for _ in 0..<20 {
                    let client = try RawClient(to: live.port, receiveBuffer: 4096)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    try client.send("late")
                    #expect(try client.readResponse().body.count == 1_000_000)
                }
            }
        }
    }

    @Test("an idle connection is closed after its time")
    func idleTimeout() async throws {
        var limits = ServerLimits.forTests
        limits.idleTimeout = .milliseconds(300)
        try await withServer([.text("/", "ok")], limits: limits) { live in
            try await onThread {
                let idle = try live.connect()
                #expect(try idle.get("/").status == 200)
                #expect(idle.isClosed())
                let silent = try live.connect()
                #expect(silent.isClosed())
            }
        }
    }

    /// The loop is held until an idle connection of the same age, at another server, has been closed.
    @Test("a connection whose request lies unread is not idle, however late the server comes to it")
    func unreadIsNotIdle() async throws {
        let hold = Hold()
        var limits = ServerLimits.forTests
        limits.threads = 1
        limits.idleTimeout = .milliseconds(300)
        try await withServer([.text("/", "ok")], limits: limits) { other in
            try await withServer([hold.route, .text("/", "ok")], limits: limits) { live in
                let (client, holder) = try await onThread {
                    let client = try live.connect()
                    #expect(try client.get("/").text == "ok")
                    let holder = try live.connect()
                    try holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
                    return (client, holder)
                }
                for await _ in hold.begun { break }
                try await onThread {
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(try other.connect().isClosed())
                    hold.release.signal()
                    #expect(try client.readResponse().text == "ok")
                    #expect(try holder.readResponse().text == "held")
                }
            }
        }
    }

    @Test("urgent data ends its connection, and is the client's doing", arguments: ["", "GET / HTTP/1.1\r\nHo"])
    func urgentData(start: String) async throws {
        try await withServer([.text("/", "ok")]) { live in
            let client = try await onThread {
                let client = try live.connect()
                try client.send(start)
                return client
            }
            await eventually("it is seen") {
                live.server.gauges.connections == 1 && live.server.gauges.running == (start.isEmpty ? 0 : 1)
            }
            #expect(
                try await onThread {
                    try client.sendUrgent()
                    return client.isClosed()
                })
            await eventually("nothing of it is left") { live.server.gauges.connections == 0 }
            #expect(live.log.events.isEmpty)
            #expect(live.log.entries.map(\.ending).allSatisfy { $0 == .clientGone })
        }
    }

    @Test(
        "a request that takes too long to arrive is 408, and its connection is closed",
        arguments: [
            "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        ])
    func tooSlow(start: String) async throws {
        var limits = ServerLimits.forTests
        limits.headTimeout = .milliseconds(300)
        limits.grace = .milliseconds(300)
        try await withServer([Route(.post, "/") { _ in .text("ok") }], limits: limits) { live in
            try await onThread {
                let client = try live.connect()
                try client.send(start)
                let response = try client.readResponse()
                #expect(response.status == 408)
                #expect(response["Content-Type"] == "application/problem+json")
                #expect(client.isClosed())
            }
        }
    }

    /// Within this time it would be told that its request is late, and after it it is idle.
    @Test(
        "an empty line begins no request, nor keeps the server from stopping: its client is never told that one is late",
        arguments: ["\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n"])
    func emptyLine(text: String) async throws {
        var limits = ServerLimits.forTests
        limits.headTimeout = .milliseconds(300)
        limits.idleTimeout = .milliseconds(600)
        try await withServer([.text("/", "ok")], limits: limits) { live in
            try await onThread {
                let client = try live.connect()
                try client.send(text)
                if text.hasPrefix("GET") { #expect(try client.readResponse().text == "ok") }
                #expect(try client.readToEnd().isEmpty)
            }
            #expect(live.server.gauges.running == 0)
        }
    }

    @Test("an empty line that comes in pieces is no request in the end, and the one behind it is")
    func behindEmptyLine() async throws {
        try await withServer([.text("/", "ok")]) { live in
            let client = try await onThread { try live.connect() }
            for (piece, running) in [("\r", 1), ("\n", 0), ("GET / HTTP/1.1\r\nHost", 1)] {
                try await onThread { try client.send(piece) }
                await eventually("it is seen") { live.server.gauges.running == running }
            }
            try await onThread { try client.send(": a\r\n\r\n") }
            #expect(try await onThread { try client.readResponse().text } == "ok")
        }
    }

    @Test("a client that reads its answers too slowly is cut off, and the log says so")
    func readsTooSlowly() async throws {
        var limits = ServerLimits.forTests
        limits.grace = .milliseconds(300)
        let large = SharedBody([UInt8](repeating: UInt8(ascii: "x"), count: 4_000_000))
        try await withServer([Route(.get, "/") { _ in Response(body: .shared(large)) }], limits: limits) { live in
            let client = try await onThread {
                let client = try RawClient(to: live.port, receiveBuffer: 4096)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            await eventually("it is cut off") { live.log.entries.map(\.ending) == [.timeout] }
            let sent = live.log.entries[0].bytes
            #expect((1..<1_000_000).contains(sent))
            await eventually("nothing of it is left") { live.server.gauges.connections == 0 }
            withExtendedLifetime(client) {}
        }
    }

    @Test("the log of a request has the method, the route, the status and the id, not the path")
    func accessLog() async throws {
        let routes = [Route(.get, "/{name}") { _ in .text("ok") }]
        try await withServer(routes) { live in
            let found = try await live.get("/secret?token=1")
            let missing = try await live.get("/a/b")
            await eventually("both are logged") { live.log.entries.count == 2 }
            let entries = live.log.entries
            #expect(entries.map(\.route) == ["/{name}", "-"])
            #expect(entries.map(\.status) == [200, 404])
            #expect(entries.map(\.method) == ["GET", "GET"])
            #expect(entries.map(\.requestID) == [found["Request-Id"], missing["Request-Id"]])
            #expect(entries.allSatisfy { (0..<10_000_000).contains($0.microseconds) })
        }
    }

    @Test(
        "the log names the method of a request that was refused while it was read, where so much of it was there",
        arguments: [
            ("PUT / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, .put), ("GET /  HTTP/1.1\r\n\r\n", 400, .get),
            ("DELETE / HTTP/1.1\n", 400, .delete), ("BREW / HTTP/1.1\r\n\r\n", 400, nil),
            ("OPTIONS/ HTTP/1.1\r\n\r\n", 400, nil), (" GET / HTTP/1.1\r\n\r\n", 400, nil),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413, .post),
            ("\r\nGET /\(String(repeating: "a", count: 40_000))", 414, .get),
            ("PATCH / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417, .patch),
            ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 40_000))", 431, .get),
            ("OPTIONS / HTTP/2.0\r\n\r\n", 505, .options), ("GET / HTTP/1.1\r\nHo", 408, .get), ("GE", 408, nil),
        ] as [(String, Int, Method?)])
    func methodOfRefused(request: String, status: Int, method: Method?) async throws {
        var limits = ServerLimits.forTests
        if status == 408 { limits.headTimeout = .milliseconds(300) }
        try await withServer([Route(.post, "/") { _ in .text("ok") }], limits: limits) { live in
            let response = try await live.exchange(request)
            #expect(response.status == status)
            await eventually("it is logged") { live.log.entries.count == 1 }
            #expect(live.log.entries.map(\.status) == [status])
            #expect(live.log.entries.map(\.method) == [method?.rawValue])
            #expect(live.log.entries.map(\.requestID) == [response["Request-Id"]])
        }
    }
}
