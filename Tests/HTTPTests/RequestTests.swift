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

    @Test("the lines of a repeated field are one list, in their order, and are marked")
    func lists() async throws {
        try await withServer([Self.report]) { live in
            let response = try await live.get(
                "/", "Accept: a/b ", "ACCEPT:c/d", "Accept-Language: ja", "Accept-Charset: x", "accept:",
                "accept-language:\ten", "X-Forwarded-For: 192.0.2.1", "If-Match: \"a\"", "If-None-Match: \"b\"",
                "x-forwarded-for: 192.0.2.2", "if-none-match: \"c\"", "If-Match: \"d\"", "Cookie: a=b", "cookie: c=d")
            let lines = response.text.split(separator: "\n")
            #expect(lines.contains("accept=a/b, c/d, !"))
            #expect(lines.contains("accept-Language=ja, en!"))
            #expect(lines.contains("x-Forwarded-For=192.0.2.1, 192.0.2.2!"))
            #expect(lines.contains("cookie=a=b; c=d!"))
            #expect(lines.contains("if-Match=\"a\", \"d\"!"))
            #expect(lines.contains("if-None-Match=\"b\", \"c\"!"))
        }
    }

    @Test("the path is as it was sent, the query apart from it")
    func pathAndQuery() async throws {
        let route = Route(.get, "/{name}") { request in
            #expect(request.parameter("other") == nil)
            let query = request.query.map { query in query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
            return .text("\(request.path) \(request.parameter("name") ?? "") \(query ?? "malformed")")
        }
        try await withServer([route]) { live in
            let answers = [
                "/a%20b?a=1&a=%2F&b": "/a%20b a b a=1&a=/&b=", "/x?": "/x x ", "/x?a=%": "/x x malformed",
                "/x?b=2&a=1&b=%C3%A9+x&empty&=&a==": "/x x b=2&a=1&b=é x&empty=&=&a==",
            ]
            for (target, text) in answers {
                let response = try await live.get(target)
                #expect(response.text == text)
            }
        }
    }
}
