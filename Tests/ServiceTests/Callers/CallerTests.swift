import TestSupport
import Testing
import ViewModels

@Suite("Who is asking")
struct CallerTests {
    @Test("POST /sessions gives a token, a cookie, a cursor and the session's address")
    func begin() async throws {
        try await withService { service in
            let answer = try await service.post("/sessions")
            let json = try answer.json()
            let token = try #require(json["token"]?.string)
            let cursor = try #require(json["cursor"]?.string)
            let id = try #require(json["id"]?.string)
            #expect(answer.status == 201)
            #expect(answer.text == #"{"id":"\#(id)","token":"\#(token)","expiresIn":86400,"cursor":"\#(cursor)"}"#)
            #expect(id.wholeMatch(of: /[A-Za-z0-9_-]{15}/) != nil)
            #expect(token.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil)
            #expect(cursor.hasSuffix(".0"))
            #expect(answer["Set-Cookie"] == "bindery-session=\(token); HttpOnly; SameSite=Lax; Path=/")
            #expect(answer["Location"] == "/session")
            #expect(answer["Cache-Control"] == "no-store")
        }
    }

    @Test("the session can be asked for by Bearer or by cookie; with both, Bearer wins")
    func bearerAndCookie() async throws {
        try await withService { service in
            let (mine, other) = (try await service.begin(), try await service.begin())
            for header in [
                "Authorization: Bearer \(mine)", "Authorization: bearer \(mine)", "Authorization: BEARER   \(mine)",
                "Cookie: bindery-session=\(mine)", "Cookie: theme=dark; bindery-session=\(mine); x=y",
                "Cookie: a=b;bindery-session=\(mine)",
                "Cookie: xsession=\(other); bindery-session=\(mine)",
                "Cookie: sessions=\(other); bindery-session=\(mine) ",
            ] {
                _ = try await service.post("/counter/increment", header)
            }
            _ = try await service.post(
                "/counter/increment", "Authorization: Bearer \(mine)", "Cookie: bindery-session=\(other)")
            #expect(try await service.get("/counter", "Cookie: bindery-session=\(mine)").json()["text"] == "9")
            #expect(try await service.get("/counter", "Cookie: bindery-session=\(other)").json()["text"] == "0")
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test("GET /session shows the whole presentation state, in the order of the catalogue")
    func show() async throws {
        try await withService { service in
            let begun = try await service.post("/sessions", "Accept-Language: en").json()
            let (id, token) = (try #require(begun["id"]?.string), try #require(begun["token"]?.string))
            let acted = try await service.post("/counter/increment", "Authorization: Bearer \(token)")
            let answer = try await service.get("/session", "Authorization: Bearer \(token)")
            let cursor = try #require(acted.cursor)
            #expect(
                answer.text == """
                    {"id":"\(id)","public":false,"cursor":"\(cursor)","expiresIn":86400,"language":"en","viewModels":{\
                    "counter":{"text":"1","enabled":true,"alpha":1},\
                    "login":{"text":"Enter your ID and password.","color":null}}}
                    """)
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer["Content-Language"] == "en")
            #expect(answer["Cache-Control"] == "no-store")
        }
    }

    /// What is no good token: `E` stands for one that has ended, `U` for one that was never given out.
    @Test(
        "a token that is not good is 401 session-unknown, whatever it is shown as, and never the public session",
        arguments: [
            "Authorization: Bearer E", "Authorization: Bearer U", "Cookie: bindery-session=E",
            "Cookie: bindery-session=U",
            "Authorization: Bearer", "Authorization: Bearer ", "Authorization:", "Authorization: U",
            "Authorization: Bearer short", "Authorization: Bearer U extra", "Authorization: Bearer UU",
            "Authorization: Token U",
            "Authorization: Token U, Bearer U", "Authorization: Bearer ../../../../etc/passwd",
            "Authorization: Bearer ああああああああああああああああああああああ", "Cookie: bindery-session=",
            "Cookie: bindery-session=;", "Cookie: bindery-session= ", "Cookie: bindery-session=\"U\"",
            "Cookie: bindery-session=nonsense",
            "Cookie: a=b; bindery-session=U", "Cookie: bindery-session=\u{301}U", "Cookie: bindery-session=U\u{301}",
        ])
    func notGood(header: String) async throws {
        try await withService { service in
            let ended = try await service.begin()
            #expect(try await service.delete("/session", "Authorization: Bearer \(ended)").status == 204)
            let header =
                header.replacing("E", with: ended).replacing("U", with: "AAAAAAAAAAAAAAAAAAAAAA")
            for (method, path) in [
                ("GET", "/counter"), ("GET", "/session"), ("GET", "/changes"), ("POST", "/counter/increment"),
                ("DELETE", "/session"),
            ] {
                try expect(try await service.ask(method, path, [header]), isProblem: "session-unknown", 401)
            }
            try expect(
                try await service.ask("GET", "/changes", [header, "Accept: text/event-stream"]),
                isProblem: "session-unknown", 401)
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test("Basic credentials, which browsers and proxies add by themselves, are nobody's token")
    func basic() async throws {
        try await withService { service in
            let token = try await service.begin()
            let basic = "Authorization: Basic dGFybzpoaW1pdHN1"
            _ = try await service.post("/counter/increment", basic, "Cookie: bindery-session=\(token)")
            #expect(try await service.get("/counter", "Cookie: bindery-session=\(token)").json()["text"] == "1")
            #expect(try await service.get("/counter", basic).json()["text"] == "0")
        }
    }

    @Test("credentials of another scheme are 401 and say how the token is sent")
    func otherScheme() async throws {
        try await withService { service in
            let answer = try await service.get("/counter", "Authorization: Token AAAAAAAAAAAAAAAAAAAAAA")
            try expect(answer, isProblem: "session-unknown", 401)
            #expect(try answer.json()["detail"]?.string?.hasPrefix("Authorization is not Bearer and a token.") == true)
        }
    }

    @Test("a Bearer token that is not good is not made good by a cookie that is")
    func badBearerGoodCookie() async throws {
        try await withService { service in
            let token = try await service.begin()
            try expect(
                try await service.get("/counter", "Authorization: Bearer nonsense", "Cookie: bindery-session=\(token)"),
                isProblem: "session-unknown", 401)
        }
    }

    @Test("the cookie twice in one line is 400 where the values differ: a browser may send another site's before ours")
    func cookieTwice() async throws {
        try await withService { service in
            let (mine, other) = (try await service.begin(), try await service.begin())
            for values in [[mine, other], [other, mine], [mine, ""], ["nonsense", mine], [mine, mine, other]] {
                let cookies = values.map { "bindery-session=\($0)" }.joined(separator: "; a=b; ")
                try expect(try await service.get("/counter", "Cookie: \(cookies)"), isProblem: "malformed-header", 400)
            }
            let same = "Cookie: bindery-session=\(mine); bindery-session=\(mine) ;"
            #expect(try await service.get("/counter", same).status == 200)
        }
    }

    @Test("other cookies alone are nobody's token")
    func otherCookies() async throws {
        try await withService { service in
            for cookie in ["theme=dark", "Session=U", "xsession=U", "__Host-bindery-session=U", "bindery-session", "="]
            {
                let answer = try await service.get("/counter", "Cookie: \(cookie)")
                #expect(answer.status == 200, "\(cookie)")
            }
        }
    }

    @Test("POST /sessions begins a session whatever stale token came along")
    func stale() async throws {
        try await withService { service in
            for header in ["Cookie: bindery-session=stale", "Authorization: Bearer stale", "Cookie: bindery-session="] {
                let answer = try await service.post("/sessions", header)
                #expect(answer.status == 201)
            }
        }
    }

    @Test("two sessions and the public one do not see each other's state, changes or polls")
    func apart() async throws {
        try await withService { service in
            let (mine, other) = (try await service.begin(), try await service.begin())
            let (myCursor, otherCursor) = (
                try await service.cursor("Authorization: Bearer \(mine)"),
                try await service.cursor("Authorization: Bearer \(other)")
            )
            let publicCursor = try await service.cursor()
            let waiting = try await service.poll("since=\(otherCursor)", "Authorization: Bearer \(other)")
            let publicWaiting = try await service.poll("since=\(publicCursor)")
            await service.waits(1, other)
            await service.waits(1)
            let answer = try await service.post("/counter/increment", "Authorization: Bearer \(mine)")
            #expect(answer.cursor == myCursor.replacing(".0", with: ".1"))
            #expect(service.waiting(other) == 1)
            #expect(service.waiting() == 1)
            #expect(try await service.get("/counter", "Authorization: Bearer \(other)").json()["text"] == "0")
            #expect(try await service.cursor("Authorization: Bearer \(other)") == otherCursor)
            #expect(try await service.cursor() == publicCursor)
            // A cursor of another session is of another epoch.
            let foreign = try await service.get("/changes?since=\(myCursor)", "Authorization: Bearer \(other)")
            #expect(try foreign.json()["reason"] == "epoch")
            _ = try await service.delete("/session", "Authorization: Bearer \(mine)")
            #expect(service.waiting(other) == 1)
            _ = try await service.post("/counter/increment", "Authorization: Bearer \(other)")
            #expect(try await waiting.answer().json()["kind"] == "delta")
            #expect(service.waiting() == 1)
            _ = try await service.post("/counter/increment")
            #expect(try await publicWaiting.answer().json()["kind"] == "delta")
        }
    }

    @Test("DELETE /session leaves the cookie, which may be a newer session's; the token is unknown from then on")
    func end() async throws {
        try await withService { service in
            let token = try await service.begin()
            let answer = try await service.delete("/session", "Cookie: bindery-session=\(token)")
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
            #expect(answer["Set-Cookie"] == nil)
            try expect(
                try await service.get("/session", "Cookie: bindery-session=\(token)"), isProblem: "session-unknown", 401
            )
        }
    }

    @Test("the public session is ended by none of its guests")
    func endPublic() async throws {
        try await withService { service in
            let shown = try await service.post("/counter/increment")
            try expect(try await service.delete("/session"), isProblem: "public-session", 403)
            #expect(try await service.get("/counter").text == shown.text)
        }
    }

    @Test("a session that nobody used for its time to live is unknown; one in use is not")
    func expiry() async throws {
        try await withService {
            $0.sessions.timeToLive = .seconds(600)
        } _: { service in
            let (idle, used) = (try await service.begin(), try await service.begin())
            for _ in 0..<2 {
                service.timeline.advance(by: .seconds(400))
                _ = try await service.get("/counter", "Authorization: Bearer \(used)")
            }
            await service.endExpired()
            try expect(
                try await service.get("/counter", "Authorization: Bearer \(idle)"), isProblem: "session-unknown", 401)
            let answer = try await service.get("/session", "Authorization: Bearer \(used)")
            #expect(try answer.json()["expiresIn"] == 600)
        }
    }
}
