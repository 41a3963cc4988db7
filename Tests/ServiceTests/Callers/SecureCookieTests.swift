import TestSupport
import Testing
import ViewModels

@Suite("Secure cookies")
struct SecureCookieTests {
    @Test("the cookie is named __Host-session, is Secure, and is the one that is read")
    func secure() async throws {
        try await withService {
            $0.service.hasSecureCookies = true
        } _: { service in
            let begun = try await service.post("/sessions")
            let token = try #require(try begun.json()["token"]?.string)
            #expect(begun["Set-Cookie"] == "__Host-session=\(token); HttpOnly; SameSite=Lax; Path=/; Secure")
            _ = try await service.post("/counter/increment", "Cookie: session=\(token)")
            let mine = try await service.get("/counter", "Cookie: __Host-session=\(token)")
            #expect(try mine.json()["text"] == "0")
            try expect(
                try await service.get("/counter", "Cookie: __Host-session=stale"), isProblem: "session-unknown", 401)
            let ended = try await service.delete("/session", "Cookie: __Host-session=\(token)")
            #expect(ended["Set-Cookie"] == "__Host-session=; Max-Age=0; HttpOnly; SameSite=Lax; Path=/; Secure")
        }
    }
}
