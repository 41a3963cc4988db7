import Events
import HTTP
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("What operators see of sessions, and end")
struct AdminSessionsTests {
    private func withAdmin(_ test: (LiveService) async throws -> Void) async throws {
        func options(_ options: inout BinderyServer.Options) {
            options.admin = BinderyServer.Options.Address(host: "127.0.0.1", port: 0)
        }
        let timeline = ManualTimeline()
        let store = MemoryStore { TimeOfDay(secondsSince1970: timeline.secondsSince1970) }
        try await withService(over: store, timeline: timeline, options, test)
    }

    private func ask(_ service: LiveService, _ method: String, _ path: String) async throws -> ReceivedResponse {
        try await service.operate().ask(method, path, ["Host: localhost"])
    }

    private func list(_ service: LiveService, _ query: String = "") async throws -> [JSONValue] {
        try #require(try await ask(service, "GET", "/sessions\(query)").json()["sessions"]?.array)
    }

    private func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }

    /// The public id of a session.
    private func id(of token: String, _ service: LiveService) async throws -> String {
        try #require(try await service.get("/session", bearer(token)).json()["id"]?.string)
    }

    @Test("each session is an object of numbers and names, with no token and no hash in it")
    func members() async throws {
        try await withAdmin { service in
            let token = try await service.begin()
            _ = try await service.post("/counter/increment", bearer(token))
            service.timeline.advance(by: .seconds(7))
            let answer = try await ask(service, "GET", "/sessions")
            let id = try await id(of: token, service)
            let sessionID = try #require(SessionToken(token)?.sessionID)
            let tag = SessionTag(of: sessionID)
            let start =
                #"{"sessions":[{"id":"\#(id)","public":false,"log":"\#(tag)","inMemory":true,"age":7,"unusedFor":7,"#
                + #""expiresIn":86393,"bytes":"#
            #expect(answer.status == 200)
            #expect(answer.text.hasPrefix(start))
            #expect(answer.text.wholeMatch(of: /.*"bytes":[1-9][0-9]*,"waits":0,"streams":0}\],"next":null}/) != nil)
            for secret in [token, sessionID.rawValue] { #expect(!answer.text.contains(secret)) }
        }
    }

    @Test("a poll and a stream are counted")
    func waits() async throws {
        try await withAdmin { service in
            let token = try await service.begin()
            let cursor = try await service.cursor(bearer(token))
            let poll = try await service.poll("wait=25&since=\(cursor)", bearer(token))
            let stream = try await service.stream("since=\(cursor)", bearer(token))
            await service.waits(2, token)
            let session = try #require(try await list(service).first)
            #expect(session["waits"] == 2)
            #expect(session["streams"] == 1)
            withExtendedLifetime((poll, stream)) {}
        }
    }

    @Test("pages follow one another by next, or by the id of the last")
    func pages() async throws {
        try await withAdmin { service in
            var ids: [String] = []
            for _ in 0..<5 { ids.append(try await id(of: service.begin(), service)) }
            var (seen, query): ([String], String?) = ([], "")
            while let asked = query {
                let page = try await ask(service, "GET", "/sessions?limit=2\(asked)").json()
                seen += page["sessions"]?.array?.compactMap { $0["id"]?.string } ?? []
                query = page["next"]?.string.map { "&after=\($0)" }
            }
            #expect(seen == ids)
            let rest = try await list(service, "?after=\(ids[2])")
            #expect(rest.compactMap { $0["id"]?.string } == [ids[3], ids[4]])
            let unknown = try await ask(service, "GET", "/sessions?after=AAAAAAAAAAAAAAA")
            #expect(unknown.status == 404)
        }
    }

    @Test(
        "a query that is not understood is refused",
        arguments: [
            ("GET", "?limit=0"), ("GET", "?limit=1001"), ("GET", "?limit=+1"), ("GET", "?limit="), ("GET", "?after=x"),
            ("GET", "?after=-1"), ("GET", "?limit=1&limit=2"), ("GET", "?unused-for=1"), ("DELETE", ""),
            ("DELETE", "?unused-for=0"), ("DELETE", "?unused-for=1.5"), ("DELETE", "?unusedfor=1"),
            ("DELETE", "/AAAAAAAAAAAAAAA?unused-for=1"),
        ])
    func malformed(method: String, rest: String) async throws {
        try await withAdmin { service in
            _ = try await service.begin()
            let answer = try await ask(service, method, "/sessions\(rest)")
            #expect(answer.status == 400)
            #expect(try answer.json()["type"] == .string("/problems/malformed-query"))
            #expect(try await list(service).count == 1)
        }
    }

    @Test("one that is ended is ended for its polls, its streams and its user")
    func end() async throws {
        try await withAdmin { service in
            let token = try await service.begin()
            let cursor = try await service.cursor(bearer(token))
            let id = try await id(of: token, service)
            let poll = try await service.poll("wait=25&since=\(cursor)", bearer(token))
            let stream = try await service.stream("since=\(cursor)", bearer(token))
            _ = try await stream.head()
            #expect(try await stream.next()?.event == "ping")
            await service.waits(2, token)
            let ended = try await ask(service, "DELETE", "/sessions/\(id)")
            #expect((ended.status, ended.text) == (204, ""))
            let told = try await poll.answer()
            #expect(told.status == 401)
            #expect(try told.json()["type"] == .string("/problems/session-ended"))
            #expect(try await stream.next()?.event == "session-ended")
            #expect(try await service.get("/session", bearer(token)).status == 401)
            #expect(try await ask(service, "DELETE", "/sessions/\(id)").status == 404)
        }
    }

    @Test("the public session is not ended, one by one or with the unused")
    func publicSession() async throws {
        try await withAdmin { service in
            let id = try #require(try await service.get("/session").json()["id"]?.string)
            let refusal = try await ask(service, "DELETE", "/sessions/\(id)")
            #expect(refusal.status == 403)
            #expect(try refusal.json()["type"] == .string("/problems/public-session"))
            service.timeline.advance(by: .seconds(100))
            #expect(try await ask(service, "DELETE", "/sessions?unused-for=1").text == #"{"ended":0}"#)
            #expect(try await list(service).map { $0["public"] } == [true])
        }
    }

    @Test("the unused are ended, and who is in use is not")
    func unused() async throws {
        try await withAdmin { service in
            let (idle, used) = (try await service.begin(), try await service.begin())
            service.timeline.advance(by: .seconds(100))
            _ = try await service.get("/session", bearer(used))
            let ended = try await ask(service, "DELETE", "/sessions?unused-for=100")
            #expect((ended.status, ended.text) == (200, #"{"ended":1}"#))
            #expect(try await service.get("/session", bearer(idle)).status == 401)
            #expect(try await service.get("/session", bearer(used)).status == 200)
        }
    }

    @Test("where the store is away, that is said")
    func away() async throws {
        try await withAdmin { service in
            _ = try await service.begin()
            service.timeline.advance(by: .seconds(100))
            service.store.isAway = true
            for (method, path) in [("GET", "/sessions"), ("DELETE", "/sessions?unused-for=100")] {
                let answer = try await ask(service, method, path)
                #expect(answer.status == 503)
                #expect(try answer.json()["type"] == .string("/problems/store-unavailable"))
            }
        }
    }
}
