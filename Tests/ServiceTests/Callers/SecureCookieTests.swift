import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Secure cookies")
struct SecureCookieTests {
    @Test("the cookie is named __Host-bindery-session, is Secure, and is the one that is read")
    func secure() async throws {
        try await withService {
            $0.service.hasSecureCookies = true
        } _: { service in
            let begun = try await service.post("/sessions")
            let token = try #require(try begun.json()["token"]?.string)
            #expect(begun["Set-Cookie"] == "__Host-bindery-session=\(token); HttpOnly; SameSite=Lax; Path=/; Secure")
            _ = try await service.post("/counter/increment", "Cookie: bindery-session=\(token)")
            let mine = try await service.get("/counter", "Cookie: __Host-bindery-session=\(token)")
            #expect(try mine.json()["text"] == "0")
            try expect(
                try await service.get("/counter", "Cookie: __Host-bindery-session=stale"), isProblem: "session-unknown",
                401)
        }
    }

    @Test(
        "a page that came over http is told that it would lose the cookie, and begins no session",
        arguments: [
            ["Host: app.test", "Origin: http://app.test"], ["Sec-Fetch-Site: same-origin", "Origin: http://app.test"],
            ["X-Forwarded-Proto: http"], ["Host: app.test", "Origin: http://app.test", "X-Forwarded-Proto: http"],
        ])
    func overHTTP(headers: [String]) async throws {
        try await withService {
            $0.service.hasSecureCookies = true
            $0.trustedProxies = .loopback
        } _: { service in
            let answer = try await service.ask("POST", "/sessions", headers)
            try expect(answer, isProblem: "https-required", 403)
            #expect(answer["Set-Cookie"] == nil)
            #expect(try answer.json()["detail"]?.string?.contains("--secure-cookies") == true)
            let count = try await service.store.count()
            #expect(count == 0)
        }
    }

    @Test(
        "one that came over https, and whoever does not say, begins a session",
        arguments: [
            ["Host: app.test", "Origin: https://app.test"], ["X-Forwarded-Proto: https"], [],
            ["Host: app.test", "Origin: https://app.test", "X-Forwarded-Proto: https"],
        ])
    func overHTTPS(headers: [String]) async throws {
        try await withService {
            $0.service.hasSecureCookies = true
            $0.trustedProxies = .loopback
        } _: { service in
            let answer = try await service.ask("POST", "/sessions", headers)
            #expect(answer.status == 201)
        }
    }

    @Test("a page of an allowed origin gets no cookie, so that it may come over http")
    func allowedOrigin() async throws {
        try await withService {
            $0.service.hasSecureCookies = true
            $0.service.allowedOrigins = Set(["http://localhost:3000"].compactMap { WebOrigin($0) })
        } _: { service in
            let answer = try await service.post("/sessions", "Origin: http://localhost:3000")
            #expect(answer.status == 201)
            #expect(answer["Set-Cookie"] == nil)
        }
    }
}
