import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Pages of other origins that are allowed")
struct AllowedOriginTests {
    static let page = "Origin: https://app.test"
    static let exposed = "ETag, Location, Request-Id, Retry-After, Idempotency-Replayed"

    private func withOrigins(
        _ change: (inout BinderyServer.Options) -> Void = { _ in }, _ test: (LiveService) async throws -> Void
    ) async throws {
        try await withService {
            $0.service.allowedOrigins = Set(["https://app.test", "http://localhost:3000"].compactMap { WebOrigin($0) })
            change(&$0)
        } _: { service in
            try await test(service)
        }
    }

    private func expectShared(_ answer: ReceivedResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer["Access-Control-Allow-Origin"] == "https://app.test", sourceLocation: sourceLocation)
        // Problems vary by the language, too.
        let vary = answer.headers.filter { $0.name == "Vary" }.map(\.value)
        #expect(vary.contains("Origin"), sourceLocation: sourceLocation)
        #expect(answer["Access-Control-Expose-Headers"] == Self.exposed, sourceLocation: sourceLocation)
        #expect(answer["Access-Control-Allow-Credentials"] == nil, sourceLocation: sourceLocation)
    }

    private func expectNotShared(_ answer: ReceivedResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        let names = answer.headers.map { $0.name.lowercased() }
        #expect(!names.contains { $0.hasPrefix("access-control") }, sourceLocation: sourceLocation)
    }

    @Test(
        "a refusal that no handler has seen may be read by an allowed page, and by no other",
        arguments: [("GET", "/nothing", 404), ("PATCH", "/counter", 405), ("POST", "/counter/increment", 413)])
    func refusals(method: String, path: String, status: Int) async throws {
        let body = status == 413 ? String(repeating: " ", count: 70_000) : nil
        try await withOrigins { service in
            let answer = try await service.ask(method, path, [Self.page], body: body)
            #expect(answer.status == status)
            expectShared(answer)
            for others in [["Origin: https://other.test"], [Self.page, Self.page]] {
                let answer = try await service.ask(method, path, others, body: body)
                #expect(answer.status == status)
                expectNotShared(answer)
            }
        }
    }

    @Test("an allowed origin is named as browsers do, however a client writes it, so that every answer has its room")
    func spelling() async throws {
        try await withOrigins { service in
            let origin = "Origin: HTTP://LocalHost:" + String(repeating: "0", count: 5000) + "3000"
            for answer in [
                try await service.post(
                    "/counter/increment", origin, "Authorization: Bearer \(try await service.begin())"),
                try await service.get("/nothing", origin),
            ] {
                #expect([200, 404].contains(answer.status))
                #expect(answer["Access-Control-Allow-Origin"] == "http://localhost:3000")
            }
        }
    }

    @Test("a preflight is answered 204 with what the path allows, to be kept")
    func preflight() async throws {
        try await withOrigins { service in
            for (path, methods) in [
                ("/counter", "GET, HEAD"), ("/counter/increment", "POST"), ("/session", "GET, HEAD, PATCH, DELETE"),
                ("/sessions", "POST"), ("/changes", "GET, HEAD"),
            ] {
                let answer = try await service.ask(
                    "OPTIONS", path, [Self.page, "Access-Control-Request-Method: POST"])
                #expect(answer.status == 204, "\(path)")
                #expect(answer.body.isEmpty)
                #expect(answer["Access-Control-Allow-Methods"] == methods)
                #expect(answer["Access-Control-Max-Age"] == "7200")
                let fields = answer["Access-Control-Allow-Headers"]?.split(separator: ", ").map(String.init) ?? []
                #expect(
                    Set(fields) == [
                        "Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key",
                        "Last-Event-ID",
                        "Bindery-Session", "Accept-Language",
                    ])
                expectShared(answer)
            }
        }
    }

    @Test(
        "what is no preflight of an allowed origin is 405, as without any",
        arguments: [
            ["Origin: https://evil.test", "Access-Control-Request-Method: POST"], ["Origin: https://app.test"], [],
            ["Origin: http://app.test", "Access-Control-Request-Method: POST"],
            ["Origin: https://app.test:8443", "Access-Control-Request-Method: POST"],
            ["Origin: https://app.test", "Origin: https://app.test", "Access-Control-Request-Method: POST"],
            ["Origin: null", "Access-Control-Request-Method: POST"],
        ])
    func noPreflight(headers: [String]) async throws {
        try await withOrigins { service in
            let answer = try await service.ask("OPTIONS", "/counter", headers)
            try expect(answer, isProblem: "method-not-allowed", 405)
            #expect(answer["Allow"] == "GET, HEAD")
        }
        try await withService { service in
            let answer = try await service.ask("OPTIONS", "/counter", headers)
            try expect(answer, isProblem: "method-not-allowed", 405)
            expectNotShared(answer)
        }
    }

    @Test("an allowed page begins a session without a cookie, and uses it by Bearer")
    func journey() async throws {
        try await withOrigins { service in
            let begun = try await service.post("/sessions", Self.page, "Sec-Fetch-Site: cross-site")
            #expect(begun.status == 201)
            #expect(begun["Set-Cookie"] == nil)
            expectShared(begun)
            let bearer = "Authorization: Bearer \(try #require(try begun.json()["token"]?.string))"
            let acted = try await service.post("/counter/increment", Self.page, "Sec-Fetch-Site: cross-site", bearer)
            #expect(acted.status == 200)
            expectShared(acted)
            let shown = try await service.get("/counter", Self.page, bearer)
            #expect(try shown.json()["text"] == "1")
            expectShared(shown)
            let same = try await service.get(
                "/counter", Self.page, bearer, "If-None-Match: \(try #require(shown["ETag"]))")
            #expect(same.status == 304)
            expectShared(same)
            let ended = try await service.delete("/session", Self.page, "Sec-Fetch-Site: cross-site", bearer)
            #expect(ended.status == 204)
            #expect(ended["Set-Cookie"] == nil)
            expectShared(ended)
        }
    }

    @Test("without a token an allowed page changes nothing, and is told how it can")
    func withoutToken() async throws {
        try await withOrigins { service in
            let token = try await service.begin()
            for credentials in [[], ["Cookie: bindery-session=\(token)"]] {
                let answer = try await service.ask("POST", "/counter/increment", [Self.page] + credentials)
                try expect(answer, isProblem: "cross-site", 403)
                #expect(try answer.json()["detail"]?.string?.contains("POST /sessions") == true)
                expectShared(answer)
            }
        }
    }

    @Test("problems, polls that waited and event streams can be read too")
    func everyKind() async throws {
        try await withOrigins { service in
            expectShared(try await service.get("/counter", Self.page, "Authorization: Bearer nonsense"))
            expectShared(
                try await service.post(
                    "/counter/decrement", Self.page, "Authorization: Bearer \(try await service.begin())"))
            let waiting = try await service.poll("since=\(try await service.cursor())", Self.page)
            await service.waits(1)
            _ = try await service.post("/counter/increment")
            let told = try await waiting.answer()
            #expect(try told.json()["kind"] == "delta")
            expectShared(told)
            let stream = try await service.stream("", Self.page)
            let head = try await stream.head()
            #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
            expectShared(head)
        }
    }

    @Test("an action that is answered when it is stored can be read too")
    func stored() async throws {
        try await withOrigins { service in
            let bearer = "Authorization: Bearer \(try await service.begin())"
            let gate = Gate()
            service.store.next(.commit, .wait(gate))
            let client = try await service.connect()
            try await client.send("POST", "/counter/increment", [Self.page, bearer])
            await gate.arrivals()
            gate.open()
            let answer = try await client.answer()
            #expect(answer.status == 200)
            expectShared(answer)
        }
    }

    @Test("another origin is shown nothing that its pages could read")
    func others() async throws {
        try await withOrigins { service in
            for origin in [
                "Origin: https://evil.test", "Origin: https://app.test.evil.test", "Origin: null", "Accept: a/b",
            ] {
                expectNotShared(try await service.get("/counter", origin))
                expectNotShared(try await service.get("/nothing", origin))
                expectNotShared(try await service.get("/changes?wait=0", origin))
            }
            try expect(try await service.post("/sessions", "Origin: https://evil.test"), isProblem: "cross-site", 403)
        }
    }

    @Test("a page of this host gets its cookie, also where its origin is among the allowed")
    func ownOrigin() async throws {
        try await withOrigins { service in
            let begun = try await service.post("/sessions", "Host: app.test", Self.page)
            #expect(begun["Set-Cookie"] != nil)
            let cookie = "Cookie: bindery-session=\(try #require(try begun.json()["token"]?.string))"
            let acted = try await service.post("/counter/increment", "Host: app.test", Self.page, cookie)
            #expect(acted.status == 200)
            #expect(try await service.delete("/session", "Host: app.test", Self.page, cookie).status == 204)
        }
    }

    @Test("an origin may be of a scheme that is not the web's, and its own port may be left out")
    func spellings() {
        #expect(WebOrigin("https://a.test:443") == WebOrigin("HTTPS://A.test"))
        #expect(WebOrigin("http://a.test") != WebOrigin("https://a.test"))
        #expect(WebOrigin("capacitor://localhost") != nil)
        #expect(WebOrigin("http://[::1]:3000") != nil)
        for text in [
            "", "null", "a.test", "://a", "http://", "http://a/", "http://a:x", "http://a:70000", "http://u@a",
            "http://a b", "http://\u{212A}",
        ] {
            #expect(WebOrigin(text) == nil, "\(text)")
        }
    }
}
