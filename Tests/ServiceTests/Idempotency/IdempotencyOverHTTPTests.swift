import TestSupport
import Testing
import ViewModels

@Suite("Idempotency-Key")
struct IdempotencyOverHTTPTests {
    @Test("the same key again gives the same status, body and entity tag, says so, and nothing happens")
    func again() async throws {
        try await withService { service in
            let first = try await service.post("/counter/increment", #"Idempotency-Key: "8e03""#)
            #expect(first.status == 200)
            #expect(first["Idempotency-Replayed"] == nil)
            _ = try await service.post("/counter/increment")
            // The quotes are optional, and not of the key.
            for header in [#"Idempotency-Key: "8e03""#, "Idempotency-Key: 8e03", "idempotency-key:8e03"] {
                let again = try await service.post("/counter/increment", header)
                #expect(again.status == 200)
                #expect(again.body == first.body)
                for name in ["ETag", "Content-Type", "Cache-Control"] { #expect(again[name] == first[name], "\(name)") }
                #expect(again["Idempotency-Replayed"] == "true")
                #expect(again["Request-Id"] != first["Request-Id"])
            }
            #expect(try await service.get("/counter").json()["text"] == "2")
        }
    }

    @Test("a key is 1 to 255 visible characters", arguments: ["a", "!", String(repeating: "k", count: 255)])
    func bounds(key: String) async throws {
        try await withService { service in
            let bare = try await service.post("/counter/increment", "Idempotency-Key: \(key)")
            #expect(try bare.json()["text"] == "1")
            let quoted = try await service.post("/counter/increment", "Idempotency-Key: \"\(key)\"")
            #expect(quoted["Idempotency-Replayed"] == "true")
        }
    }

    @Test(
        "a malformed key is 400, and nothing happens",
        arguments: [
            "", "\"\"", "\"", "\"a", "a\"", "a\"b", "\"a\"b\"", "a b", "a\tb", "é", "\"a\", \"b\"",
            String(repeating: "k", count: 256), "\"" + String(repeating: "k", count: 256) + "\"",
        ])
    func malformed(key: String) async throws {
        try await withService { service in
            let answer = try await service.post("/counter/increment", "Idempotency-Key: \(key)")
            try expect(answer, isProblem: "malformed-header", 400)
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test("two keys are 400, also where they are the same", arguments: [["a", "b"], ["a", "a"]])
    func two(keys: [String]) async throws {
        try await withService { service in
            let answer = try await service.ask("POST", "/counter/increment", keys.map { "Idempotency-Key: \($0)" })
            try expect(answer, isProblem: "malformed-header", 400)
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test("a key with another body or another path is 422, and nothing happens")
    func mismatch() async throws {
        try await withService { service in
            _ = try await service.post("/login/validate", json: #"{"id":"i"}"#, "Idempotency-Key: a")
            let shown = try await service.get("/login").text
            let body = try await service.post("/login/validate", json: "{}", "Idempotency-Key: a")
            try expect(body, isProblem: "idempotency-mismatch", 422)
            let path = try await service.post("/counter/increment", json: #"{"id":"i"}"#, "Idempotency-Key: a")
            try expect(path, isProblem: "idempotency-mismatch", 422)
            #expect(try await service.get("/login").text == shown)
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test("a refusal is told again with the same body, also when the action is no longer disabled")
    func refusal() async throws {
        try await withService { service in
            let first = try await service.post("/counter/decrement", "Idempotency-Key: a")
            try expect(first, isProblem: "action-disabled", 409)
            #expect(first["Idempotency-Replayed"] == nil)
            _ = try await service.post("/counter/increment")
            let again = try await service.post("/counter/decrement", "Idempotency-Key: a")
            #expect(again.status == 409)
            #expect(again.body == first.body)
            #expect(again["Content-Type"] == "application/problem+json")
            #expect(again["Idempotency-Replayed"] == "true")
            #expect(try await service.get("/counter").json()["text"] == "1")
        }
    }

    @Test("what was 400, 412 or 422 is not remembered: it may be mended under the same key")
    func mended() async throws {
        try await withService { service in
            let unreadable = try await service.post("/login/validate", json: "{", "Idempotency-Key: a")
            try expect(unreadable, isProblem: "malformed-json", 400)
            let misshapen = try await service.post("/login/validate", json: #"{"id":7}"#, "Idempotency-Key: a")
            #expect(misshapen.status == 422)
            let condition = try await service.post(
                "/login/validate", json: #"{"id":"i"}"#, "Idempotency-Key: a", #"If-Match: "x.1""#)
            #expect(condition.status == 412)
            let answer = try await service.post("/login/validate", json: #"{"id":"i"}"#, "Idempotency-Key: a")
            #expect(answer.status == 200)
            #expect(answer["Idempotency-Replayed"] == nil)
        }
    }

    @Test("a condition that held the first time is not asked again")
    func condition() async throws {
        try await withService { service in
            let tag = try #require(try await service.get("/counter")["ETag"])
            let first = try await service.post("/counter/increment", "Idempotency-Key: a", "If-Match: \(tag)")
            let again = try await service.post("/counter/increment", "Idempotency-Key: a", "If-Match: \(tag)")
            #expect(first.status == 200)
            #expect(again.status == 200)
            #expect(again.body == first.body)
        }
    }

    @Test("a key belongs to its session")
    func sessions() async throws {
        try await withService { service in
            let token = try await service.begin()
            _ = try await service.post("/counter/increment", "Idempotency-Key: a")
            let other = try await service.post(
                "/counter/increment", "Idempotency-Key: a", "Authorization: Bearer \(token)")
            #expect(other.status == 200)
            #expect(other["Idempotency-Replayed"] == nil)
        }
    }

    @Test("sent again while the first is still running, it waits for the first's outcome")
    func concurrent() async throws {
        try await withService { service in
            let gate = Gate()
            _ = try await service.get("/counter")
            service.store.next(.commit, .wait(gate))
            let clients = [try await service.connect(), try await service.connect()]
            try await clients[0].send("POST", "/counter/increment", ["Idempotency-Key: a"])
            await gate.arrivals()
            try await clients[1].send("POST", "/counter/increment", ["Idempotency-Key: a"])
            #expect(try await service.get("/counter").json()["text"] == "0")
            gate.open()
            let (first, second) = (try await clients[0].answer(), try await clients[1].answer())
            #expect(first["Idempotency-Replayed"] == nil)
            #expect(second["Idempotency-Replayed"] == "true")
            #expect(second.body == first.body)
            #expect(try await service.get("/counter").json()["text"] == "1")
        }
    }

    @Test("one whose first is 503 is run when it comes again")
    func failed() async throws {
        try await withService { service in
            _ = try await service.get("/counter")
            service.store.next(.commit, .refuse)
            let first = try await service.post("/counter/increment", "Idempotency-Key: a")
            try expect(first, isProblem: "store-unavailable", 503)
            let again = try await service.post("/counter/increment", "Idempotency-Key: a")
            #expect(try again.json()["text"] == "1")
            #expect(again["Idempotency-Replayed"] == nil)
        }
    }
}
