import Foundation
import HTTP
import TestSupport
import Testing

/// Protects clients from malformed and incomplete answers.
@Suite("Answers", .timeLimit(.minutes(5)))
struct AnswerTests {
    @Test("answers that share their bytes carry fields of their own")
    func sharedAnswer() async throws {
        let body = SharedBody(Array("shared".utf8))
        let route = Route(.get, "/{own}") { request in
            Response(status: 201, headers: [.init("X-Own", request.parameter("own") ?? "")], body: .shared(body))
        }
        try await withServer([route]) { live in
            for own in ["one", "two"] {
                let response = try await live.get("/" + own)
                #expect(response.status == 201)
                #expect(response.text == "shared")
                #expect(response["X-Own"] == own)
                #expect(response["Date"]?.hasSuffix("GMT") == true)
            }
        }
    }

    @Test("a file is the body of an answer, and HEAD has its length alone")
    func file() async throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let file = try #require(tmpfile())
        let descriptor = fileno(file)
        defer { fclose(file) }
        #expect(bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
        let route = Route(.get, "/") { _ in
            Response(body: .file(FileHandle(fileDescriptor: descriptor), length: bytes.count))
        }
        try await withServer([route]) { live in
            try await live.talk { client in
                #expect(try client.get("/").body == bytes)
                try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readResponse(hasBody: false)["Content-Length"] == "300000")
                #expect(try client.get("/").body == bytes)
            }
        }
    }

    @Test(
        "a malformed answer becomes a 500 without its fields",
        arguments: [
            Response(status: 700), Response(status: 99), Response(headers: [.init("X", "a\r\nSet-Cookie: b")]),
            Response(headers: [.init("X y", "z")]), Response(headers: [.init("X", "a\0Set-Cookie\0b")]),
            Response(headers: [.init("X", String(repeating: "x", count: 2048))]),
            Response(headers: [.init("X", "a\nb")], body: .shared(SharedBody([1]))),
        ])
    func malformedAnswer(answer: Response) async throws {
        try await withServer([Route(.get, "/", answer: { _ in answer })]) { live in
            let response = try await live.get("/")
            #expect(response.status == 500)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response["Set-Cookie"] == nil)
            #expect(response["X"] == nil)
            #expect(live.log.entries.map(\.cause) == ["an answer that cannot be sent"])
        }
    }

    @Test("a 204 and a 304 have no body", arguments: [204, 304])
    func noBody(status: Int) async throws {
        let route = Route(.get, "/") { _ in
            Response(status: status, headers: [.init("ETag", #""1.2""#)], body: .bytes(Array("unchanged".utf8)))
        }
        try await withServer([route, .text("/next", "next")]) { live in
            try await live.talk { client in
                let response = try client.get("/")
                #expect(response.status == status)
                #expect(response["ETag"] == #""1.2""#)
                #expect(try client.get("/next").text == "next")
            }
        }
    }

    @Test("HEAD has the header of GET and no body, and the connection goes on")
    func head() async throws {
        let routes = [
            Route(.get, "/") { Response(headers: [.init("X", $0.method.rawValue)], body: .bytes(Array(1...12))) },
            .text("/own", "get"), Route(.head, "/own") { _ in Response(status: 204) },
        ]
        try await withServer(routes) { live in
            try await live.talk { client in
                func head(_ path: String) throws -> ReceivedResponse {
                    try client.send("HEAD \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
                    return try client.readResponse(hasBody: false)
                }
                let found = try head("/")
                #expect(found.status == 200)
                #expect(found["Content-Length"] == "12")
                #expect(found["X"] == "HEAD")
                #expect(try head("/no").status == 404)
                #expect(try head("/own").status == 204)
                #expect(try client.get("/").body == Array(1...12))
            }
        }
    }

    /// A close with unread bytes is a reset, and the client may lose the answer (RFC 9112, section 9.6).
    @Test("a client that sends a whole body over the limit before it reads gets the 413")
    func refusalOutlivesBody() async throws {
        try await withServer([.echo]) { live in
            try await live.talk { client in
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
                try client.send([UInt8](repeating: 0, count: 500_000))
                #expect(try client.readResponse().status == 413)
            }
        }
    }

    @Test("an answer's large body arrives whole at a client with a small window")
    func largeBody() async throws {
        try await withServer([Route(.get, "/", answer: { _ in .large })]) { live in
            let client = try await live.begin("GET / HTTP/1.1\r\nHost: a\r\n\r\n", receiveBuffer: 4096)
            #expect(try await onThread { try client.readResponse().body.count } == 4_000_000)
        }
    }
}
