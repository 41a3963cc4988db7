import HTTP
import TestSupport
import Testing

/// RFC 9112, section 11.2: what two readers could read as two different requests is refused, and the connection closed, so
/// that what follows is not read as a request.
@Suite("Framing", .timeLimit(.minutes(5)))
struct FramingTests {
    static let routes = [
        Route(.post, "/") { request in .text("read \(request.body.count)") }, Route.text("/", "get"),
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
                // A coding that is not spoken here is said to be so.
                let speaksOfCoding = rest.hasPrefix("Host: a\r\nTransfer-Encoding:") && response.status == 501
                #expect(response.status == 400 || speaksOfCoding)
                #expect(response["Content-Type"] == "application/problem+json")
                #expect(response["Request-Id"]?.isEmpty == false)
                #expect(response["Connection"]?.lowercased() == "close")
                #expect(try client.readToEnd() == [])
            }
            await eventually("it is logged") { live.log.entries.count == 1 }
            #expect(live.log.entries.map(\.ending) == [.refused])
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
        try await withServer(Self.routes, limits: limits) { live in
            #expect(try await live.get("/").status == 200)
            let response = try await live.get("/", "X: " + String(repeating: "x", count: 600))
            #expect(response.status == 431)
            #expect(response["Content-Type"] == "application/problem+json")
        }
    }

    @Test("a header of 8 KiB is served, one byte more is 431 and nothing is done", arguments: [0, 1])
    func headerAtTheLimit(more: Int) async throws {
        try await withServer(Self.routes) { live in
            let start = "GET / HTTP/1.1\r\nHost: a\r\nCookie: "
            let filler = String(repeating: "x", count: 8192 - start.utf8.count - 4 + more)
            let response = try await live.exchange(start + filler + "\r\n\r\n")
            #expect(response.status == (more == 0 ? 200 : 431))
        }
    }

    @Test("a target over 2 KiB is 414, however its bytes are cut", arguments: [0, 1])
    func targetTooLong(more: Int) async throws {
        try await withServer(Self.routes) { live in
            let request =
                "GET /?" + String(repeating: "x", count: 2048 - 2 + more) + " HTTP/1.1\r\nHost: a\r\n\r\n"
            for size in [request.utf8.count, 2000, 100] {
                let status = try await onThread {
                    let client = try live.connect()
                    var rest = request[...]
                    while !rest.isEmpty {
                        try client.send(String(rest.prefix(size)))
                        rest = rest.dropFirst(size)
                    }
                    return try client.readResponse().status
                }
                #expect(status == (more == 0 ? 200 : 414), "cut to \(size)")
            }
        }
    }
}
