import HTTP
import TestSupport
import Testing

/// Protects bodies up to the limit, and the server beyond it.
@Suite("Bodies", .timeLimit(.minutes(5)))
struct BodyTests {
    private static let limits = ServerLimits.forTests { $0.bodyBytes = 10_000 }
    private static let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    @Test("a body up to the limit arrives whole", arguments: [0, 1, 511, 512, 513, 4096, 9_999, 10_000])
    func wholeBody(count: Int) async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            try await live.talk { client in
                let body = Array(Self.bytes.prefix(count))
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
                try client.send(body)
                #expect(try client.readResponse().body == body)
                #expect(try client.get("/echo").status == 405)
            }
        }
    }

    /// libmicrohttpd 0.9.75 reads chunk extensions and trailers kindly: nothing behind such a body is a request.
    @Test("a chunked body arrives whole without its trailer, and its connection closes")
    func chunkedBody() async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            try await live.talk { client in
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n")
                try client.send("5\r\nhello\r\n1\r\n \r\n6\r\nworld!\r\n0\r\nTrailer: x\r\n\r\n")
                try client.send("GET /echo HTTP/1.1\r\nHost: smuggled\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.text == "hello world!")
                #expect(response["Connection"] == "close")
                #expect(client.isClosed())
            }
            #expect(live.server.gauges.begun == 1)
        }
    }

    @Test("a request that arrives byte by byte is read whole")
    func byteByByte() async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            try await live.talk { client in
                let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 26\r\n\r\n"
                for byte in (head + "abcdefghijklmnopqrstuvwxyz").utf8 { try client.send([byte]) }
                #expect(try client.readResponse().text == "abcdefghijklmnopqrstuvwxyz")
            }
        }
    }

    @Test(
        "a body over the limit is 413 and closes the connection",
        arguments: [
            "Content-Length: 10001\r\nExpect: 100-continue\r\n\r\n", "Content-Length: 99999999\r\n\r\n",
            "Content-Length: 10001\r\n\r\n" + String(repeating: "x", count: 10_001),
            "Transfer-Encoding: chunked\r\n\r\n2af8\r\n" + String(repeating: "x", count: 11_000) + "\r\n0\r\n\r\n",
        ])
    func tooLarge(rest: String) async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            try await live.talk { client in
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\n" + rest)
                let response = try client.readResponse()
                #expect(response.status == 413)
                #expect(response["Content-Type"] == "application/problem+json")
                #expect(response["Connection"] == "close")
                #expect(client.isClosed())
            }
            #expect(live.log.entries.map(\.problem) == ["body-too-large"])
        }
    }

    @Test("Expect: 100-continue is answered before the body, and not if the request is refused; others mean nothing")
    func expectContinue() async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            try await live.talk { client in
                let rest = " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
                try client.send("POST /echo" + rest)
                #expect(try client.readResponse().status == 100)
                try client.send("hello")
                #expect(try client.readResponse().text == "hello")
                try client.send("POST /no" + rest)
                #expect(try client.readResponse().status == 404)
                #expect(client.isClosed())
            }
            let other = try await live.exchange("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n")
            #expect(other.text.isEmpty)
        }
    }

    @Test(
        "a refused request's body is no request, and the connection goes on",
        arguments: [("POST /no", 404), ("PUT /echo", 405)])
    func refusedBody(line: String, status: Int) async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            try await live.talk { client in
                try client.send("\(line) HTTP/1.1\r\nHost: a\r\nContent-Length: 27\r\n\r\n")
                try client.send("GET / HTTP/1.1\r\nHost: b\r\n\r\n")
                #expect(try client.readResponse().status == status)
                #expect(try client.get("/echo")["Allow"] == "POST")
            }
        }
    }

    @Test(
        "a client that leaves in the middle of a request leaves nothing behind",
        arguments: ["POST /ec", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"], [true, false])
    func leavesInTheMiddle(start: String, byReset: Bool) async throws {
        try await withServer([.echo], limits: Self.limits) { live in
            let client = try await live.begin(start)
            try await eventually("it is read") {
                try SocketTable.serverHasReadAll(serverPort: live.port, clientPort: client.port)
            }
            if byReset { client.reset() } else { client.close() }
            await live.nothingIsLeft()
            #expect(live.server.gauges.running == 0)
            #expect(live.log.entries.isEmpty)
        }
    }
}
