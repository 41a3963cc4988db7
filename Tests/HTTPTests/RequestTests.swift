import Testing

@testable import HTTP

/// Protects that handlers get the fields, path and query as they were sent.
@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
    /// Each kept field with its name on the wire: `lastEventID` is `last-Event-ID`.
    static let names = RequestHeader.allCases.map { header in
        (
            header,
            "\(header)".reduce(into: "") { $0 += $1.isUppercase && $0.last?.isLowercase == true ? "-\($1)" : "\($1)" }
        )
    }

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
            #expect(lines.contains("accept="))
            #expect(lines.contains("cookie=nil"))
        }
    }

    @Test("a repeated field keeps its first value and is marked")
    func repeated() async throws {
        try await withServer([Self.report]) { live in
            let response = try await live.get("/", "Idempotency-Key: 1", "idempotency-key: 2", "Cookie: a=b")
            let lines = response.text.split(separator: "\n")
            #expect(lines.contains("idempotency-Key=1!"))
            #expect(lines.contains("cookie=a=b"))
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
            #expect(lines.contains("accept=a/b, c/d, !"))
            #expect(lines.contains("accept-Language=ja, en!"))
            #expect(lines.contains("x-Forwarded-For=192.0.2.1, 192.0.2.2!"))
            #expect(lines.contains("if-Match=\"a\", \"d\"!"))
            #expect(lines.contains("if-None-Match=\"b\", \"c\"!"))
        }
    }

    @Test("the path is as it was sent, the query apart from it")
    func pathAndQuery() async throws {
        let route = Route(.get, "/{name}") { request in
            let query = try request.query()
            #expect(request.parameter("other") == nil)
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

    @Test("a query keeps its order, its repetitions and its empty values")
    func queryKeepsOrder() throws {
        let bytes = Array("b=2&a=1&b=%C3%A9+x&empty&=".utf8)
        let query = try bytes.withUnsafeBytes { try Query(parsing: $0) }
        #expect(query.names == ["b", "a", "b", "empty", ""])
        #expect(query.values(of: "b") == ["2", "é x"])
        #expect(query.values(of: "empty") == [""])
        #expect(query.values(of: "absent").isEmpty)
    }
}
