import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Cookies of the name that earlier versions gave")
struct EarlierCookieTests {
    @Test(
        "a live token in one is still taken, in memory or not",
        arguments: [(false, "session"), (true, "__Host-session")])
    func live(isSecure: Bool, name: String) async throws {
        try await withService {
            $0.service.hasSecureCookies = isSecure
        } _: { service in
            let cookie = "Cookie: \(name)=\(try await service.begin())"
            #expect(try await service.post("/counter/increment", cookie).status == 200)
            #expect(try await service.get("/counter", cookie).json()["text"] == "1")
            service.timeline.advance(by: .seconds(120))
            await service.server.registry.evictIdle()
            #expect(try await service.get("/counter", cookie).json()["text"] == "1")
            #expect(try await service.get("/counter").json()["text"] == "0")
        }
    }

    @Test(
        "anything else in one is another application's and counts as none",
        arguments: [
            "session=", "session=eyJ1c2VyIjoidGFybyJ9.Zx.abc", "session=AAAAAAAAAAAAAAAAAAAAAA", "session=\"x\"",
            "session=x; session=AAAAAAAAAAAAAAAAAAAAAA", "__Host-session=x",
        ])
    func other(cookies: String) async throws {
        try await withService { service in
            let answer = try await service.get("/session", "Cookie: \(cookies)")
            #expect(try answer.json()["public"] == .boolean(true))
            #expect(try await service.post("/counter/increment", "Cookie: \(cookies)").status == 200)
        }
    }

    @Test("one that another application gave, too, does not hide ours")
    func beside() async throws {
        try await withService { service in
            let token = try await service.begin()
            for cookies in ["session=eyJ9.a; session=\(token)", "session=other; bindery-session=\(token)"] {
                #expect(try await service.get("/session", "Cookie: \(cookies)").json()["public"] == .boolean(false))
            }
            try expect(
                try await service.get("/session", "Cookie: session=\(token); bindery-session=stale"),
                isProblem: "session-unknown", 401)
        }
    }

    @Test("where a token is needed, one that is nobody's is none")
    func publicSessionOff() async throws {
        try await withService {
            $0.service.hasPublicSession = false
        } _: { service in
            try expect(
                try await service.get("/counter", "Cookie: session=AAAAAAAAAAAAAAAAAAAAAA"),
                isProblem: "session-required",
                401)
        }
    }
}
