import Testing
import ViewModels

/// Protects that an action with a key is done once, and answered alike.
@Suite("Idempotency-Key")
struct IdempotencyTests {
    @Test("The same request under the same key is done once, and answered with the same bytes")
    func once() async throws {
        try await TestServer.run { server in
            let first = try await server.ask("POST", "/counter/increment", "Idempotency-Key: \"k\"")
            let again = try await server.ask("POST", "/counter/increment", "Idempotency-Key: k")
            #expect(again.status == 200 && again.body == first.body && again["etag"] == first["etag"])
            #expect(first["idempotency-replayed"] == nil && again["idempotency-replayed"] == "true")
            #expect(try await server.ask("GET", "/counter").text.contains(#""text":"1""#))
        }
    }

    @Test("Another path or body under the key is 422")
    func mismatch() async throws {
        try await TestServer.run { server in
            _ = try await server.ask("POST", "/tried/take", "Idempotency-Key: k", body: #"{"id":"a"}"#)
            let other = try await server.ask("POST", "/tried/take", "Idempotency-Key: k", body: #"{"id":"b"}"#)
            #expect(other.status == 422 && other.problem == "idempotency-mismatch")
            #expect(try await server.ask("POST", "/tried/sell", "Idempotency-Key: k").problem == "idempotency-mismatch")
        }
    }

    @Test(
        "Refusals and errors of the action are remembered, with their bodies",
        arguments: [("sell", 410), ("throw", 500)])
    func problems(_ action: String, _ status: Int) async throws {
        try await TestServer.run { server in
            let first = try await server.ask("POST", "/tried/\(action)", "Idempotency-Key: k")
            let again = try await server.ask("POST", "/tried/\(action)", "Idempotency-Key: k")
            #expect(first.status == status && again.status == status && again.body == first.body)
            #expect(again["idempotency-replayed"] == "true" && again["content-type"] == "application/problem+json")
        }
    }

    @Test("What the action did not take is not remembered under the key")
    func notTaken() async throws {
        try await TestServer.run { server in
            for body in ["{", #"{"id":1}"#] {
                #expect(try await server.ask("POST", "/tried/take", "Idempotency-Key: k", body: body).status >= 400)
            }
            let reply = try await server.ask("POST", "/tried/take", "Idempotency-Key: k", body: #"{"id":"a"}"#)
            #expect(reply.status == 200 && reply["idempotency-replayed"] == nil)
        }
    }

    @Test("A repeat while the first still runs waits for its outcome")
    func whileRunning() async throws {
        let gate = Gate()
        try await TestServer.run([.hosting(Tried.self, with: gate)]) { server in
            async let first = server.ask("POST", "/tried/wait", "Idempotency-Key: k")
            await gate.arrivals(1)
            async let again = server.ask("POST", "/tried/wait", "Idempotency-Key: k")
            await gate.open()
            let (one, two) = try await (first, again)
            #expect(one.body == two.body && two["idempotency-replayed"] == "true")
            #expect(try await server.ask("GET", "/tried").text == #"{"runs":1}"#)
        }
    }

    @Test("A malformed key is 400", arguments: ["", "\"\"", "a b", "a\"b", "a,b", String(repeating: "k", count: 256)])
    func malformed(_ key: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/counter/increment", "Idempotency-Key: \(key)")
            #expect(reply.status == 400 && reply.problem == "malformed-header")
        }
    }

    @Test("A session has a bounded number of keys")
    func bounded() async throws {
        try await TestServer.run(options: { $0.sessions.keysPerSession = 1 }) { server in
            let session = try await server.begin()
            #expect(try await server.ask("POST", "/counter/increment", session, "Idempotency-Key: a").status == 200)
            let reply = try await server.ask("POST", "/counter/increment", session, "Idempotency-Key: b")
            #expect(reply.status == 429 && reply.problem == "too-many-keys" && reply["retry-after"] != nil)
        }
    }
}
