import Events
import HTTP
import TestSupport
import Testing

/// Protects connections with many requests, and the entries of the log.
@Suite("Connections", .timeLimit(.minutes(5)))
struct ConnectionTests {
    private let desk = Desk()
    private let barrier = Barrier()

    /// A route at `/hold` that keeps its event loop until the barrier opens.
    private var hold: Route {
        Route(.get, "/hold") { [barrier] _ in
            barrier.pass()
            return .text("held")
        }
    }

    @Test("one connection serves many requests, each with an id of its own")
    func keepAlive() async throws {
        try await withServer([.text("/", "ok")]) { live in
            let ids = try await live.talk { client in
                try (0..<100).map { try client.get($0 % 3 == 0 ? "/no" : "/")["Request-Id"] ?? "" }
            }
            #expect(Set(ids).count == 100)
            #expect(Set(ids.map { $0.prefix { $0 != "-" } }).count == 1)
            #expect(live.log.entries.map(\.requestID) == ids)
        }
    }

    @Test("pipelined requests are answered in order, also behind one that waits")
    func pipelined() async throws {
        try await withServer([desk.route, .echo, .text("/", "ok")]) { live in
            let client = try await live.begin(
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nA" + Desk.request
                    + "GET /no HTTP/1.1\r\nHost: a\r\n\r\n")
            let responder = try await desk.next()
            try await onThread { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(try await live.get("/").text == "ok")
            responder.send(.text("slow"))
            let texts = try await onThread {
                try (0..<4).map { _ in try client.readResponse().text.prefix { $0 != "," } }
            }
            #expect(texts == ["A", "slow", #"{"type":"/problems/not-found""#, "ok"])
            #expect(desk.hangUps.all.isEmpty)
        }
    }

    /// libmicrohttpd reads at most 128 events a turn, and says nothing of the rest at exactly 128.
    @Test("requests that come together are all answered at once", arguments: [127, 128, 129, 256, 1024])
    func comeTogether(count: Int) async throws {
        try await withServer([hold, .text("/", "ok")], limits: .forTests { $0.threads = 1 }, crowd: true) { live in
            defer { barrier.open() }
            let clients = try await onThread {
                try (0..<count).map { _ in
                    let client = try live.connect()
                    #expect(try client.get("/").status == 200)
                    return client
                }
            }
            let holder = try await live.begin("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            try await barrier.arrivals()
            try await onThread { [barrier] in
                for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
                barrier.open()
                for client in clients { #expect(try client.readResponse().text == "ok") }
                #expect(try holder.readResponse().text == "held")
            }
        }
    }

    @Test("a client that sends its request and closes its half is answered, unless both came in one burst, and let go")
    func halfCloses() async throws {
        try await withServer([.text("/", "ok"), .echo]) { live in
            let client = try await live.begin("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            try await onThread {
                let text = try client.readResponse().text
                #expect(text == "hello")
                client.halfClose()
                #expect(client.isClosed())
            }
            try await onThread {
                for _ in 0..<60 {
                    let client = try live.connect()
                    try client.sendAndHalfClose("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    let rest = String(utf8: try client.readToEnd())
                    #expect(rest.isEmpty || rest.hasSuffix("ok"))
                }
            }
            await live.nothingIsLeft()
        }
    }

    @Test("the log of a request has the method, the route and the session, not the path")
    func accessLog() async throws {
        let session = SessionTag(of: "7")
        let route = Route(.get, "/{name}") { _, responder in
            responder.note(session)
            responder.send(.text("okay"))
        }
        try await withServer([route]) { live in
            let found = try await live.get("/secret?token=1")
            let missing = try await live.get("/a/b")
            _ = try await live.exchange("BREW /a HTTP/1.1\r\nHost: a\r\n\r\n")
            let entries = live.log.entries
            #expect(entries.map(\.route) == ["/{name}", "-", "-"])
            #expect(entries.map(\.status) == [200, 404, 405])
            #expect(entries.map(\.method) == ["GET", "GET", nil])
            #expect(entries.map(\.session) == [session, nil, nil])
            #expect(entries.map(\.problem) == [nil, "not-found", "method-not-allowed"])
            #expect(entries.map(\.requestID).prefix(2) == [found["Request-Id"], missing["Request-Id"]])
            #expect(entries[0].bytes == 4)
            #expect(entries.allSatisfy { (0..<60_000_000).contains($0.microseconds) && $0.client.isLoopback })
        }
    }
}
