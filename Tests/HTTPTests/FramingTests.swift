import HTTP
import TestSupport
import Testing

/// RFC 9112, section 11.2: what two readers could read as two different requests is refused, and the connection closed, so
/// that what follows is not read as a request.
@Suite("Framing", .timeLimit(.minutes(1)))
struct FramingTests {
    static let routes = [
        Route(.post, "/") { request in .text("read \(request.bodyCount)") }, Route.text("/", "get"),
    ]

    /// Each is followed by what a smuggler would want to have read as a request of its own.
    static let ambiguous = [
        "Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Host: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "Host: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        "Host: a\r\nContent-Length: 5, 5\r\n\r\nhello",
        "Host: a\r\nContent-Length: +5\r\n\r\nhello",
        "Host: a\r\nContent-Length: 0x5\r\n\r\nhello",
        "Host: a\r\nContent-Length: -5\r\n\r\nhello",
        "Host: a\r\nContent-Length: 5 5\r\n\r\nhello",
        "Host: a\r\nContent-Length:\r\n\r\nhello",
        "Host: a\r\nTransfer-Encoding: gzip\r\n\r\nhello",
        "Host: a\r\nTransfer-Encoding: identity\r\n\r\nhello",
        "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nTransfer-Encoding:\r\n\r\n0\r\n\r\n",
        "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nContent-Length : 5\r\n\r\nhello",
        "Host: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nHost: b\r\n\r\n",
        "Host: a\r\nHost: a\r\n\r\n",
        "Accept: */*\r\n\r\n",
        "Host: a\r\nX y: z\r\n\r\n",
        "Host: a\r\nX(y): z\r\n\r\n",
        "Host: a\r\nX: a\u{1}b\r\n\r\n",
    ]

    @Test("an ambiguous request is 400 and closes the connection", arguments: ambiguous)
    func ambiguousRequest(rest: String) async throws {
        try await withServer(Self.routes) { live in
            try await onThread {
                let client = try live.connect()
                try client.send("POST / HTTP/1.1\r\n" + rest + "GET / HTTP/1.1\r\nHost: smuggled\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.status == 400)
                #expect(response["Connection"]?.lowercased() == "close")
                // libmicrohttpd refuses a malformed Content-Length itself, and 0.9.75 stutters while it does: its header
                // comes twice. No second answer, and the end, are what matters.
                let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
                #expect(!rest.contains("HTTP/1.1 "))
            }
            #expect(!live.log.entries.contains { $0.status == 200 })
        }
    }

    /// These, libmicrohttpd leaves to the shim in all its versions; of the others 1.0 refuses some itself, in HTML.
    @Test("what the shim refuses is a problem with a Request-Id", arguments: [0, 1, 2, 3, 20, 21])
    func refusalIsProblem(index: Int) async throws {
        try await withServer(Self.routes) { live in
            let response = try await live.exchange("POST / HTTP/1.1\r\n" + Self.ambiguous[index])
            #expect(response.status == 400)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response["Request-Id"]?.isEmpty == false)
        }
    }

    @Test("HTTP/1.0 needs no Host, and knows no chunks")
    func http10() async throws {
        try await withServer(Self.routes) { live in
            let plain = try await live.exchange("GET / HTTP/1.0\r\n\r\n")
            #expect(plain.status == 200)
            let chunked = try await live.exchange(
                "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            #expect(chunked.status == 400)
        }
    }

    @Test("a header over its own limit is 431 and a problem")
    func headerTooLarge() async throws {
        var limits = ServerLimits.forTests
        limits.headerBytes = 512
        limits.poolBytes = 8192
        try await withServer(Self.routes, limits: limits) { live in
            #expect(try await live.get("/").status == 200)
            let response = try await live.get("/", "X: " + String(repeating: "x", count: 600))
            #expect(response.status == 431)
            #expect(response["Content-Type"] == "application/problem+json")
        }
    }

    @Test("a header over the pool is refused, by libmicrohttpd in its own words")
    func headerOverPool() async throws {
        try await withServer(Self.routes) { live in
            try await onThread {
                let client = try live.connect()
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 8000))\r\n\r\n")
                let response = try client.readHead()
                #expect([413, 431].contains(response.status))
            }
        }
    }
}
