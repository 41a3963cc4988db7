import Samples
import Sessions
import StandIns
import TestSupport
import Testing
import ViewModels

@Suite("PATCH /session")
struct LanguageOverHTTPTests {
    private func patch(
        _ body: String?, of service: LiveService, _ headers: String..., as type: String = "application/merge-patch+json"
    ) async throws -> ReceivedResponse {
        try await service.ask("PATCH", "/session", headers + (body == nil ? [] : ["Content-Type: \(type)"]), body: body)
    }

    @Test("is done and answered so, though the store cannot be read the moment after")
    func answered() async throws {
        try await withService(over: MemoryStore(isShared: true)) { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            service.store.next(.load, .after {}, .refuse)
            let answer = try await patch(#"{"language":"en"}"#, of: service, token)
            #expect(answer.status == 200)
            #expect(try answer.json()["language"] == "en")
        }
    }

    @Test(
        "changes the language: what is shown otherwise is told as changes, and the session is answered as it is then",
        arguments: ["application/merge-patch+json", "application/json"])
    func changes(type: String) async throws {
        try await withService { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            _ = try await service.post("/login/validate", json: "{}", token)
            _ = try await service.post("/counter/increment", token)
            let cursor = try await service.cursor(token)
            let answer = try await patch(#"{"language":"en"}"#, of: service, token, as: type)
            #expect(answer.status == 200)
            #expect(answer["Content-Language"] == "en")
            let shown = try await service.get("/session", token)
            #expect(answer.text == shown.text)
            #expect(try answer.json()["language"] == "en")
            #expect(try answer.json()["viewModels"]?["login"]?["text"] == "ID and password are missing.")
            let told = try await service.get("/changes?since=\(cursor)&wait=0", token)
            #expect(try told.json()["kind"] == "delta")
            #expect(try told.changes() == ["login.text=ID and password are missing.@3"])
            #expect(try await service.post("/login/validate", json: #"{"id":"i"}"#, token).text.contains("Password is"))
        }
    }

    @Test(
        "takes the language that is spoken to whoever likes a narrower one, and changes nothing where that is spoken already"
    )
    func lookup() async throws {
        try await withService { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            #expect(try await patch(#"{"language":"en-GB"}"#, of: service, token).json()["language"] == "en")
            let cursor = try await service.cursor(token)
            let commits = service.store.commits.count
            for body in [#"{"language":"en"}"#, #"{"language":"EN"}"#, "{}"] {
                let answer = try await patch(body, of: service, token)
                #expect(answer.status == 200)
                #expect(try answer.json()["cursor"]?.string == cursor)
            }
            #expect(service.store.commits.count == commits)
        }
    }

    @Test(
        "is refused where it asks for what there is not, and changes nothing",
        arguments: [
            (#"{"language":"de"}"#, 422, "#/language"), (#"{"language":"no tag"}"#, 422, "#/language"),
            (#"{"language":null}"#, 422, "#/language"), (#"{"language":7}"#, 422, "#/language"),
            (#"{"langauge":"en"}"#, 422, "#/langauge"), (#"{"language":"en","id":"x"}"#, 422, "#/id"),
            (#"{"language":"en","language":"en"}"#, 422, "#/language"), (#"["en"]"#, 422, "#"), ("null", 422, "#"),
            (#"{"language":"#, 400, nil), (nil, 400, nil),
        ] as [(String?, Int, String?)])
    func refused(body: String?, status: Int, pointer: String?) async throws {
        try await withService { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            let answer = try await patch(body, of: service, token)
            try expect(answer, isProblem: status == 400 ? "malformed-json" : "wrong-shape", status)
            #expect(try answer.json()["pointer"]?.string == pointer)
            #expect(service.store.commits.count == 1)
        }
    }

    @Test("of another media type is 415, and says which would do")
    func mediaType() async throws {
        try await withService { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            let answer = try await patch("language=en", of: service, token, as: "application/x-www-form-urlencoded")
            #expect(answer.status == 415)
            #expect(answer["Accept-Patch"] == "application/merge-patch+json, application/json")
        }
    }

    @Test("of the public session is 403, from another site, too, and of one that is unknown 401")
    func whose() async throws {
        try await withService { service in
            let body = #"{"language":"en"}"#
            try expect(try await patch(body, of: service), isProblem: "public-session", 403)
            let cookie = "Cookie: bindery-session=\(try await service.begin())"
            let foreign = try await patch(body, of: service, cookie, "Sec-Fetch-Site: cross-site")
            try expect(foreign, isProblem: "cross-site", 403)
            #expect(try await patch(body, of: service, cookie, "Sec-Fetch-Site: same-origin").status == 200)
            let unknown = "Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAA"
            try expect(try await patch(body, of: service, unknown), isProblem: "session-unknown", 401)
        }
    }

    @Test("where the store is away is 503, and the session goes on in its language")
    func away() async throws {
        try await withService { service in
            let token = "Authorization: Bearer \(try await service.begin())"
            service.store.next(.commit, .refuse)
            let refused = try await patch(#"{"language":"en"}"#, of: service, token)
            try expect(refused, isProblem: "store-unavailable", 503)
            #expect(try await service.get("/session", token).json()["language"] == "ja")
            #expect(try await patch(#"{"language":"en"}"#, of: service, token).status == 200)
        }
    }
}
