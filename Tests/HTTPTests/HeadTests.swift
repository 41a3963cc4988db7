import TestSupport
import Testing

@testable import HTTP

/// RFC 9112, section 11.2: what two readers may read as two different requests is refused, and nothing follows it.
@Suite("Heads", .timeLimit(.minutes(5)))
struct HeadTests {
    private static let routes = [
        Route(.post, "/", answer: { .text("read \($0.body.count)") }), Route.text("/", "get"),
        Route(.get, "/{name}", answer: { .text($0.path) }),
    ]

    @Test(
        "an ambiguous request is refused by the server or by libmicrohttpd, and nothing behind it is read",
        arguments: [
            "Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            "Host: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            "Host: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
            "Host: a\r\nContent-Length: 5, 5\r\n\r\nhello", "Host: a\r\nContent-Length: +5\r\n\r\nhello",
            "Host: a\r\nContent-Length: 0x5\r\n\r\nhello", "Host: a\r\nContent-Length: -5\r\n\r\nhello",
            "Host: a\r\nContent-Length: 5 5\r\n\r\nhello", "Host: a\r\nContent-Length:\r\n\r\nhello",
            "Host: a\r\nTransfer-Encoding: gzip\r\n\r\nhello", "Host: a\r\nTransfer-Encoding: identity\r\n\r\nhello",
            "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "Host: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
            "Host: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
            "Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Host: a\r\nTransfer-Encoding:\r\n\r\n0\r\n\r\n",
            "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Host: a\r\nContent-Length : 5\r\n\r\nhello", "Host: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
            "Host: a\r\nHost: b\r\n\r\n", "Host: a\r\nHost: a\r\n\r\n", "Accept: */*\r\n\r\n", "Host:\r\n\r\n",
            "Host: a b\r\n\r\n", "Host: a:66000\r\n\r\n", "Host: a\r\nX y: z\r\n\r\n", "Host: a\r\nX(y): z\r\n\r\n",
            "Host: a\r\nX: a\u{1}b\r\n\r\n", "Host: a\r\nX: a\0b\r\n\r\n", "Host: a\r\nX: y\r\n z\r\n\r\n",
            "Host: a\r\n: y\r\n\r\n", "Host: a\nX: y\r\n\r\n", "Host: a\r\nX: y\rZ: a\r\n\r\n",
        ])
    func ambiguousRequest(rest: String) async throws {
        try await withServer(Self.routes) { live in
            let answer = try await live.talk { client in
                try client.send("POST / HTTP/1.1\r\n" + rest + "GET / HTTP/1.1\r\nHost: smuggled\r\n\r\n")
                return String(utf8: try client.readToEnd())
            }
            let isUnknownCoding = rest.hasPrefix("Host: a\r\nTransfer-Encoding:") && answer.hasPrefix("HTTP/1.1 501")
            #expect(answer.hasPrefix("HTTP/1.1 400") || isUnknownCoding)
            #expect(answer.contains("Connection: close"))
            #expect(!answer.contains("HTTP/1.1 200"))
            let isOurs = answer.contains("application/problem+json")
            await eventually("it is logged") { live.log.entries.count == (isOurs ? 1 : 0) }
            #expect(live.server.gauges.begun <= 1)
            #expect(live.server.gauges.malformed == (isOurs ? 0 : 1))
        }
    }

    @Test("HTTP/1.0 needs no Host, knows no chunks and closes; another version is 505")
    func versions() async throws {
        try await withServer(Self.routes) { live in
            try await live.talk { client in
                try client.send("GET / HTTP/1.0\r\n\r\n")
                #expect(try client.readResponse().text == "get")
                #expect(client.isClosed())
            }
            let chunked = try await live.exchange(
                "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            #expect(chunked.status == 400)
            #expect(try await live.exchange("GET / HTTP/1.2\r\nHost: a\r\n\r\n").status == 505)
        }
    }

    @Test("a head of 8 KiB is served, one byte more is 431", arguments: [0, 1])
    func headAtTheLimit(more: Int) async throws {
        try await withServer(Self.routes) { live in
            let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
            let filler = String(repeating: "x", count: 8192 - start.utf8.count - 4 + more)
            let response = try await live.exchange(start + filler + "\r\n\r\n")
            #expect(response.status == (more == 0 ? 200 : 431))
            if more == 1 { #expect(response["Content-Type"] == "application/problem+json") }
        }
    }

    @Test("a target of 4 KiB is served, one byte more is 414", arguments: [0, 1])
    func targetAtTheLimit(more: Int) async throws {
        try await withServer(Self.routes) { live in
            let target = "/?" + String(repeating: "x", count: 4096 - 2 + more)
            let response = try await live.get(target)
            #expect(response.status == (more == 0 ? 200 : 414))
        }
    }

    /// The head, libmicrohttpd's records of its fields and cookies, and the answer's head share one pool.
    ///
    /// libmicrohttpd closes the connection without a byte if the answer's head does not fit.
    @Test(
        "a head of any size up to the limit gets its whole answer, or 431 if its records take too much",
        arguments: [("X: ", "x", "\r\n", 8192), ("", "A: b\r\n", "", 8192), ("Cookie: a=", "x", "\r\n", 5800)])
    func headOfAnySize(start: String, unit: String, end: String, most: Int) async throws {
        let long = String(repeating: "y", count: 1500)
        let route = Route(.get, "/") { _ in Response(headers: [.init("X-Long", long)], body: .bytes([1, 2, 3])) }
        try await withServer([route]) { live in
            try await onThread {
                for size in stride(from: 64, through: most, by: 100) {
                    let head = "GET / HTTP/1.1\r\nHost: a\r\n" + start
                    let count = (size - head.utf8.count - end.utf8.count - 2) / unit.utf8.count
                    let client = try live.connect()
                    try client.send(head + String(repeating: unit, count: count) + end + "\r\n")
                    let response = try client.readResponse()
                    let isServed = response.status == 200 && response["X-Long"] == long && response.body == [1, 2, 3]
                    #expect(isServed || (response.status == 431 && start != "X: "), "\(size)")
                }
            }
        }
    }
}
