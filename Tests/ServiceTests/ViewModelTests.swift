import Testing

/// Protects the table of view models in the contract: states, tags, conditions and bodies.
@Suite("View models over HTTP")
struct ViewModelTests {
    @Test("GET shows exactly the outputs, in declared order, with a tag, for no cache")
    func shows() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("GET", "/counter")
            #expect(reply.status == 200 && reply.text == #"{"text":"0","enabled":false,"alpha":0.5}"#)
            #expect(reply["cache-control"] == "no-store" && reply["content-type"] == "application/json")
            #expect(reply["etag"]?.first == "\"")
        }
    }

    @Test("A HEAD has the fields of the GET and no body")
    func head() async throws {
        try await TestServer.run { server in
            let (get, head) = (try await server.ask("GET", "/counter"), try await server.ask("HEAD", "/counter"))
            #expect(head.status == 200 && head["etag"] == get["etag"])
            #expect(head["content-length"] == get["content-length"])
        }
    }

    @Test("An action answers the new state, whose tag the next GET has")
    func acts() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/counter/increment")
            #expect(reply.status == 200 && reply.text == #"{"text":"1","enabled":true,"alpha":1}"#)
            let next = try await server.ask("GET", "/counter")
            #expect(next["etag"] == reply["etag"] && next.text == reply.text)
            #expect(reply["request-id"] != nil)
        }
    }

    @Test("A disabled action is 409 with the state, and changes nothing")
    func disabled() async throws {
        try await TestServer.run { server in
            let before = try await server.ask("GET", "/counter")
            let reply = try await server.ask("POST", "/counter/decrement")
            #expect(reply.status == 409 && reply.problem == "action-disabled")
            #expect(reply.text.contains(#""state":{"text":"0","enabled":false,"alpha":0.5}"#))
            #expect(reply["etag"] == before["etag"])
            #expect(try await server.ask("GET", "/counter")["etag"] == before["etag"])
        }
    }

    @Test("A facet shows its outputs alone, and has the tag of its view model")
    func facet() async throws {
        try await TestServer.run { server in
            _ = try await server.ask("POST", "/profile/load", body: #"{"paramA":1,"paramB":"b"}"#)
            let (facet, whole) = (try await server.ask("GET", "/profile/card"), try await server.ask("GET", "/profile"))
            #expect(facet.text == #"{"paramB":"b"}"# && whole.text == #"{"paramA":1,"paramB":"b"}"#)
            #expect(facet["etag"] == whole["etag"])
        }
    }

    @Test("Two sessions with equal outputs get the bodies of their own states")
    func apart() async throws {
        try await TestServer.run { server in
            let (one, two) = (try await server.begin(), try await server.begin())
            _ = try await server.ask("POST", "/counter/increment", one)
            #expect(try await server.ask("GET", "/counter", two).text.contains(#""text":"0""#))
            _ = try await server.ask("POST", "/counter/increment", two)
            _ = try await server.ask("POST", "/counter/increment", two)
            #expect(try await server.ask("GET", "/counter", one).text.contains(#""text":"1""#))
            #expect(try await server.ask("GET", "/counter", two).text.contains(#""text":"2""#))
        }
    }

    @Test("If-None-Match that matches is 304, weak or not; an empty one matches nothing")
    func noneMatch() async throws {
        try await TestServer.run { server in
            let tag = try #require(try await server.ask("GET", "/counter")["etag"])
            for field in [tag, "W/\(tag)", "\"x\",\t\(tag)", "*"] {
                let reply = try await server.ask("GET", "/counter", "If-None-Match: \(field)")
                #expect(reply.status == 304 && reply["etag"] == tag && reply.body.isEmpty)
            }
            for field in ["", "\"x\"", ","] {
                #expect(try await server.ask("GET", "/counter", "If-None-Match: \(field)").status == 200)
            }
            #expect(try await server.ask("GET", "/counter", "If-None-Match: x").problem == "malformed-header")
        }
    }

    @Test(
        "If-Match that does not match is 412, on a GET and on an action",
        arguments: ["GET /counter", "POST /counter/increment"])
    func match(_ request: String) async throws {
        try await TestServer.run { server in
            let words = request.split(separator: " ").map(String.init)
            let tag = try #require(try await server.ask("GET", "/counter")["etag"])
            let old = try await server.ask(words[0], words[1], "If-Match: \"1.AAAAAAAAAAA\"")
            #expect(old.status == 412 && old.problem == "precondition-failed")
            let weak = try await server.ask(words[0], words[1], "If-Match: W/\(tag)")
            #expect(weak.status == 412 && weak.detail.contains("W/"))
            #expect(try await server.ask("GET", "/counter")["etag"] == tag)
            #expect(try await server.ask(words[0], words[1], "If-Match: \"x\", \(tag)").status == 200)
            #expect(try await server.ask(words[0], words[1], "If-Match: *").status == 200)
        }
    }

    @Test(
        "A body is refused in the order of media type, syntax, shape",
        arguments: [
            (#"{"id":"\uD800"} x"#, "application/json", 400, "malformed-json"),
            (#"{"id":1} x"#, "application/json", 400, "malformed-json"),
            (#"{"id":1,}"#, "application/json", 400, "malformed-json"),
            (#"{"id":1}"#, "application/json", 422, "wrong-shape"),
            (#"{}"#, "application/problem+json; charset=utf-8", 422, "wrong-shape"),
            ("", "application/json", 400, "malformed-json"),
            (#"{"id":"a"}"#, "text/plain", 415, "not-json"),
            (#"{"id":"a"}"#, "application/json, text/plain", 415, "not-json"),
        ])
    func bodies(_ body: String, _ type: String, _ status: Int, _ problem: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/tried/take", "Content-Type: \(type)", body: body)
            #expect(reply.status == status && reply.problem == problem)
            if status == 422 { #expect(try reply.string("pointer").hasPrefix("#")) }
            #expect(try await server.ask("GET", "/tried").text == #"{"runs":0}"#)
        }
    }

    @Test("A compressed body is refused, with the way to send it")
    func coded() async throws {
        try await TestServer.run { server in
            let fields = ["Content-Type: application/json", "Content-Encoding: gzip"]
            let reply = try await server.ask("POST", "/tried/take", fields[0], fields[1], body: #"{"id":"a"}"#)
            #expect(reply.problem == "not-json" && reply["accept-encoding"] == "identity")
        }
    }

    @Test("A refusal of a kind of the view model's own has its status, and its page")
    func ownRefusal() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/tried/sell")
            #expect(reply.status == 410 && reply.problem == "sold-out" && reply.detail == "The last one was sold.")
            let page = try await server.ask("GET", try reply.string("type"))
            #expect(page.status == 200)
            #expect(try page.string("title") == "Sold out" && page.string("detail") == "Nothing is left.")
        }
    }

    @Test("An error of a view model is 500 without a word of it; the log has its name under the request's id")
    func error() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/tried/throw")
            #expect(reply.status == 500 && reply.problem == "internal-error" && !reply.text.contains("Unforeseen"))
            let entry = try #require(server.log.entries.first { $0.requestID == reply["request-id"] })
            #expect(entry.cause?.contains("Unforeseen") == true)
        }
    }

    @Test("A method that a path has not is 405, and a path that is not there 404")
    func unknown() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("PUT", "/counter")
            #expect(reply.problem == "method-not-allowed" && reply["allow"]?.contains("GET") == true)
            #expect(try await server.ask("GET", "/countr").problem == "not-found")
            #expect(try await server.ask("GET", "/counter?fbclid=x&_=1").status == 200)
        }
    }
}
