import HTTP
import Testing
import ViewModels

@testable import Service

/// Protects the table of sessions in the contract.
@Suite("Sessions over HTTP")
struct SessionTests {
    @Test("POST /sessions answers id, token, time to live and a cursor from which changes follow, and sets the cookie")
    func begins() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("POST", "/sessions")
            #expect(reply.status == 201 && reply["location"] == "/session")
            let (token, cursor) = try (reply.string("token"), reply.string("cursor"))
            #expect(reply["set-cookie"] == "bindery-session=\(token); HttpOnly; SameSite=Lax; Path=/")
            #expect(reply.text.contains(#""expiresIn":86400"#))
            let session = "Authorization: Bearer \(token)"
            _ = try await server.ask("POST", "/counter/increment", session)
            let changes = try await server.ask("GET", "/changes?since=\(cursor)", session)
            #expect(try changes.string("kind") == "delta")
            #expect(!String(describing: server.log.entries).contains(token))
        }
    }

    @Test("GET /session shows every view model as its own GET does, and the language")
    func shows() async throws {
        try await TestServer.run { server in
            let session = try await server.begin("Accept-Language: en")
            _ = try await server.ask("POST", "/counter/increment", session)
            let reply = try await server.ask("GET", "/session", session)
            #expect(reply.text.contains(#""public":false"#) && reply.text.contains(#""language":"en""#))
            #expect(reply.text.contains(#""viewModels":{"counter":{"text":"1","enabled":true,"alpha":1},"#))
            let own = try await server.ask("GET", "/session")
            #expect(own.text.contains(#""id":"public","public":true"#) && own.text.contains(#""language":"ja""#))
        }
    }

    @Test(
        "Accept-Language chooses the language of a new session",
        arguments: [
            ("", "ja"), ("en", "en"), ("en-GB", "en"), ("fr", "ja"), ("fr, en;q=0.5", "en"), ("en;q=0", "ja"),
            ("*", "ja"), ("en;q=0.1, ja;q=0.2", "ja"), ("en;q=2", "ja"), ("*, en", "en"),
        ])
    func languages(_ field: String, _ language: String) {
        #expect(Languages(.japanese, .english).preferred(by: field).rawValue == language)
    }

    @Test(
        "PATCH changes the language, as merge patch or plain JSON",
        arguments: ["application/json", "application/merge-patch+json; charset=utf-8"])
    func patches(_ type: String) async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let tag = try await server.ask("GET", "/login", session)["etag"]
            let reply = try await server.ask(
                "PATCH", "/session", session, "Content-Type: \(type)", body: #"{"language":"en-US"}"#)
            #expect(reply.status == 200 && reply.text.contains("Enter your ID and password."))
            #expect(try await server.ask("GET", "/login", session)["etag"] != tag)
            let same = try await server.ask("PATCH", "/session", session, "Content-Type: \(type)", body: "{}")
            #expect(same.text == reply.text)
        }
    }

    @Test(
        "A PATCH of another kind is refused",
        arguments: [
            ("text/plain", #"{"language":"en"}"#, 415), ("application/json-patch+json", "[]", 415),
            ("application/json", #"{"language":"en"} x"#, 400), ("application/json", "", 400),
            ("application/json", #"{"language":"fr"}"#, 422), ("application/json", #"{"language":null}"#, 422),
            ("application/json", "[]", 422), ("application/json", #"{"language":"en","x":1}"#, 422),
        ])
    func refusesPatch(_ type: String, _ body: String, _ status: Int) async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let reply = try await server.ask("PATCH", "/session", session, "Content-Type: \(type)", body: body)
            #expect(reply.status == status)
            let accepted = "application/merge-patch+json, application/json"
            #expect(reply["accept-patch"] == (status == 415 ? accepted : nil))
        }
    }

    @Test("DELETE ends the session; its token then is unknown, and the cookie stays")
    func ends() async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            let reply = try await server.ask("DELETE", "/session", session)
            #expect(reply.status == 204 && reply["set-cookie"] == nil)
            for path in ["/counter", "/session", "/changes"] {
                let reply = try await server.ask("GET", path, session)
                #expect(reply.status == 401 && reply.problem == "session-unknown")
                #expect(reply["www-authenticate"] == "Bearer")
            }
            #expect(try await server.ask("POST", "/counter/increment", session).problem == "session-unknown")
        }
    }

    @Test("The public session has no end and one language", arguments: ["PATCH", "DELETE"])
    func publicSession(_ method: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask(method, "/session", body: #"{"language":"en"}"#)
            #expect(reply.status == 403 && reply.problem == "public-session")
        }
    }

    @Test("Bindery-Session names the session that the client means")
    func meant() async throws {
        try await TestServer.run { server in
            let begun = try await server.ask("POST", "/sessions")
            let (id, session) = try (begun.string("id"), "Authorization: Bearer \(begun.string("token"))")
            #expect(try await server.ask("GET", "/counter", session, "Bindery-Session: \(id)").status == 200)
            #expect(try await server.ask("GET", "/counter", "Bindery-Session: public").status == 200)
            let reply = try await server.ask("POST", "/counter/increment", "Bindery-Session: \(id)")
            #expect(reply.status == 401 && reply.problem == "session-changed")
        }
    }

    @Test("A full server begins no session and says when to come again")
    func full() async throws {
        try await TestServer.run(options: { $0.sessions.sessions = 1 }) { server in
            let session = try await server.begin()
            let kept = try await server.entity(session)
            let reply = try await server.ask("POST", "/sessions")
            #expect(reply.status == 503 && reply.problem == "too-many-sessions" && reply["retry-after"] != nil)
            withExtendedLifetime(kept) {}
        }
    }
}
