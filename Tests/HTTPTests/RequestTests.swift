import HTTP
import Testing

@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
    static let names: [(RequestHeader, String)] = [
        (.accept, "Accept"), (.acceptLanguage, "Accept-Language"), (.authorization, "Authorization"),
        (.contentEncoding, "Content-Encoding"), (.contentType, "Content-Type"), (.cookie, "Cookie"), (.host, "Host"),
        (.idempotencyKey, "Idempotency-Key"),
        (.ifMatch, "If-Match"), (.ifNoneMatch, "If-None-Match"), (.lastEventID, "Last-Event-ID"), (.origin, "Origin"),
        (.secFetchSite, "Sec-Fetch-Site"), (.binderySession, "Bindery-Session"),
        (.accessControlRequestMethod, "Access-Control-Request-Method"),
        (.traceparent, "traceparent"), (.xForwardedFor, "X-Forwarded-For"), (.xForwardedHost, "X-Forwarded-Host"),
        (.xForwardedProto, "X-Forwarded-Proto"),
    ]

    static let report = Route(.get, "/") { request in
        .text(
            names.map { header, name in
                "\(name)=\(request.header(header) ?? "nil")\(request.isRepeated(header) ? "!" : "")"
            }.joined(separator: "\n"))
    }

    @Test("every kept field is found, whatever its case and the white space around it")
    func keptFields() async throws {
        try await withServer([Self.report]) { live in
            let fields = Self.names.map { "\($0.1.uppercased()):  value.of.\($0.1) \t\r\n" }.joined()
            let response = try await live.exchange("GET / HTTP/1.1\r\n\(fields)X-Other: dropped\r\n\r\n")
            #expect(response.text == Self.names.map { "\($0.1)=value.of.\($0.1)" }.joined(separator: "\n"))
        }
    }

    /// To compare texts of combining marks takes the square of their length, on the event loop.
    @Test("what is not ASCII in a kept field is U+FFFD, so that no text is dear to compare")
    func notASCII() async throws {
        try await withServer([Self.report]) { live in
            for (field, name) in Self.names where field != .host {
                let response = try await live.get("/", "\(name): a\u{301}\u{323}b")
                let repaired = String(repeating: "\u{FFFD}", count: 4)
                #expect(response.text.split(separator: "\n").contains("\(name)=a\(repaired)b"))
            }
        }
    }

    @Test("an absent field is nil, an empty one is empty")
    func absentAndEmpty() async throws {
        try await withServer([Self.report]) { live in
            let response = try await live.exchange("GET / HTTP/1.1\r\nHost: a\r\nAccept:\r\n\r\n")
            let lines = response.text.split(separator: "\n")
            #expect(lines.contains("Accept="))
            #expect(lines.contains("Cookie=nil"))
        }
    }

    @Test("a repeated field keeps its first value and is marked")
    func repeated() async throws {
        try await withServer([Self.report]) { live in
            let response = try await live.get("/", "Idempotency-Key: 1", "idempotency-key: 2", "Cookie: a=b")
            let lines = response.text.split(separator: "\n")
            #expect(lines.contains("Idempotency-Key=1!"))
            #expect(lines.contains("Cookie=a=b"))
        }
    }

    @Test("the lines of what is a list are one list, in their order")
    func lists() async throws {
        try await withServer([Self.report]) { live in
            let response = try await live.get(
                "/", "Accept: a/b ", "ACCEPT:c/d", "Accept-Language: ja", "Accept-Charset: x", "accept:",
                "accept-language:\ten", "X-Forwarded-For: 192.0.2.1", "If-Match: \"a\"", "If-None-Match: \"b\"",
                "x-forwarded-for: 192.0.2.2", "if-none-match: \"c\"", "If-Match: \"d\"")
            let lines = response.text.split(separator: "\n")
            #expect(lines.contains("Accept=a/b, c/d, !"))
            #expect(lines.contains("Accept-Language=ja, en!"))
            #expect(lines.contains("X-Forwarded-For=192.0.2.1, 192.0.2.2!"))
            #expect(lines.contains("If-Match=\"a\", \"d\"!"))
            #expect(lines.contains("If-None-Match=\"b\", \"c\"!"))
        }
    }

    @Test("the address of whoever is connected is told")
    func peerAddress() async throws {
        let route = Route(.get, "/") { .text($0.peer.description) }
        try await withServer([route]) { live in
            let response = try await live.get("/")
            #expect(response.text == "127.0.0.1")
        }
    }

    @Test("a long field arrives whole")
    func longField() async throws {
        let long = String(repeating: "abcdefgh", count: 100)
        let route = Route(.get, "/%25/{x}") { _ in .text("") }
        try await withServer([Self.report, route]) { live in
            let response = try await live.get("/", "Authorization: Bearer \(long)")
            #expect(response.text.contains("Authorization=Bearer \(long)\n"))
        }
    }

    @Test("what a browser sends behind a proxy is read, with 400 bytes of cookies")
    func browserHeader() async throws {
        let fields = [
            "Connection: keep-alive", "Cache-Control: max-age=0",
            #"sec-ch-ua: "Chromium";v="136", "Google Chrome";v="136", "Not.A/Brand";v="99""#,
            "sec-ch-ua-mobile: ?0", #"sec-ch-ua-platform: "macOS""#, "Upgrade-Insecure-Requests: 1",
            "User-Agent: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "Chrome/136.0.0.0 Safari/537.36",
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
                + "application/signed-exchange;v=b3;q=0.7",
            "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate", "Sec-Fetch-User: ?1", "Sec-Fetch-Dest: document",
            "Referer: http://localhost:8080/", "Accept-Encoding: gzip, deflate, br, zstd",
            "Accept-Language: en-US,en;q=0.9,de;q=0.8", #"If-None-Match: "k3Qm7w.41""#,
            "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https", "X-Forwarded-Host: app.example.org",
            "X-Request-Id: 0af7651916cd43dd8448eb211c80319c",
        ]
        let cookies = (0..<10).map { "cookie-\($0)=" + String(repeating: "x", count: 28) }.joined(separator: "; ")
        try await withServer([Self.report]) { live in
            let header = fields.map { $0 + "\r\n" }.joined()
            let request = "GET / HTTP/1.1\r\nHost: localhost:8080\r\n\(header)Cookie: \(cookies)\r\n\r\n"
            let response = try await live.exchange(request)
            #expect(response.status == 200)
            #expect(response.text.contains("Cookie=\(cookies)\n"))
        }
    }

    @Test("the path is as it was sent, the query apart from it")
    func pathAndQuery() async throws {
        let route = Route(.get, "/{name}") { request in
            let query = try request.query()
            return .text("\(request.path) \(request.parameter("name") ?? "") \(query.names) \(query.values(of: "a"))")
        }
        try await withServer([route]) { live in
            #expect(try await live.get("/a%20b?a=1&a=%2F&b").text == #"/a%20b a b ["a", "a", "b"] ["1", "/"]"#)
            #expect(try await live.get("/x?").text == "/x x [] []")
            let malformed = try await live.get("/x?a=%")
            #expect(malformed.status == 400)
            #expect(malformed.text.contains("/problems/malformed-query"))
        }
    }

    @Test("a template without a parameter of that name has none")
    func unknownParameter() async throws {
        let route = Route(.get, "/{name}") { request in .text(request.parameter("other") ?? "nil") }
        try await withServer([route]) { live in
            let response = try await live.get("/x")
            #expect(response.text == "nil")
        }
    }
}
