import HTTP
import TestSupport
import Testing

@Suite("HEAD", .timeLimit(.minutes(5)))
struct HeadTests {
    @Test("HEAD has the header of GET and no body, and the connection goes on")
    func headOfBytes() async throws {
        try await withServer([.text("/", "twelve bytes")]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n")
                let head = try client.readResponse(hasBody: false)
                #expect(head.status == 200)
                #expect(head["Content-Length"] == "12")
                #expect(head["Content-Type"] == "text/plain; charset=utf-8")
                #expect(try client.get("/").text == "twelve bytes")
            }
        }
    }

    @Test("a handler is told that it is a HEAD")
    func handlerSeesHead() async throws {
        let route = Route(.get, "/") { request in
            Response(headers: [.init("X-Method", request.method.rawValue)])
        }
        try await withServer([route]) { live in
            let head = try await live.exchange("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n", hasBody: false)
            #expect(head["X-Method"] == "HEAD")
        }
    }

    @Test("HEAD of a refusal has no body")
    func headOfRefusal() async throws {
        try await withServer([.text("/", "")]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send("HEAD /no HTTP/1.1\r\nHost: test\r\n\r\n")
                let head = try client.readResponse(hasBody: false)
                #expect(head.status == 404)
                #expect(head["Content-Length"] != "0")
                #expect(try client.get("/").status == 200)
            }
        }
    }

    @Test("HEAD of a refusal has no body, also where the head itself is at fault")
    func headOfBadHead() async throws {
        try await withServer([.text("/", "")]) { live in
            try await onThread {
                let client = try live.connect()
                try client.send("HEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                let head = try client.readResponse(hasBody: false)
                #expect(head.status == 400)
                #expect(try client.readToEnd().isEmpty)
            }
        }
    }

    @Test("a route for HEAD comes before the one for GET")
    func ownHead() async throws {
        let own = Route(.head, "/") { _ in Response(status: 204) }
        try await withServer([.text("/", "get"), own]) { live in
            let head = try await live.exchange("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n", hasBody: false)
            #expect(head.status == 204)
        }
    }
}
