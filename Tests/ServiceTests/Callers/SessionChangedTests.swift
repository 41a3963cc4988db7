import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The session that a client means")
struct SessionChangedTests {
    private func id(_ service: LiveService, _ headers: String...) async throws -> String {
        try #require(try await service.ask("GET", "/session", headers).json()["id"]?.string)
    }

    @Test("is told when it begins and when it is shown, and whether it is the public one")
    func shown() async throws {
        try await withService { service in
            let begun = try await service.post("/sessions").json()
            let cookie = "Cookie: bindery-session=\(try #require(begun["token"]?.string))"
            let mine = try await service.get("/session", cookie).json()
            #expect(mine["id"] == begun["id"])
            #expect(mine["public"] == .boolean(false))
            let shared = try await service.get("/session").json()
            #expect(shared["id"] != begun["id"])
            #expect(shared["public"] == .boolean(true))
        }
    }

    @Test("can be named with any request; where the credentials lead to another, it is 401 and nothing happens")
    func named() async throws {
        try await withService { service in
            let (mine, other) = (try await service.begin(), try await service.begin())
            let cookie = "Cookie: bindery-session=\(mine)"
            let (myID, otherID) = (
                try await id(service, cookie), try await id(service, "Authorization: Bearer \(other)")
            )
            let publicID = try await id(service)
            let requests = [
                ("GET", "/counter"), ("GET", "/session"), ("GET", "/changes?wait=0"), ("POST", "/counter/increment"),
                ("DELETE", "/session"),
            ]
            for (method, path) in requests {
                for (credentials, named) in [([cookie], otherID), ([cookie], publicID), ([], myID), ([cookie], "")] {
                    let answer = try await service.ask(method, path, credentials + ["Bindery-Session: \(named)"])
                    try expect(answer, isProblem: "session-changed", 401)
                    #expect(answer["Set-Cookie"] == nil)
                }
            }
            #expect(try await service.get("/counter", cookie).json()["text"] == "0")
            for (method, path) in requests {
                let answer = try await service.ask(method, path, [cookie, "Bindery-Session: \(myID)"])
                #expect((200...204).contains(answer.status), "\(method) \(path)")
            }
            #expect(try await service.get("/counter", "Bindery-Session: \(publicID)").status == 200)
        }
    }

    @Test("is the same after its session left memory")
    func evict() async throws {
        try await withService { service in
            let cookie = "Cookie: bindery-session=\(try await service.begin())"
            let myID = try await id(service, cookie)
            service.timeline.advance(by: .seconds(120))
            await service.server.registry.evictIdle()
            #expect(try await service.get("/counter", cookie, "Bindery-Session: \(myID)").status == 200)
        }
    }

    @Test("opens nothing")
    func opensNothing() async throws {
        try await withService { service in
            let token = try await service.begin()
            let myID = try await id(service, "Authorization: Bearer \(token)")
            for header in ["Authorization: Bearer \(myID)", "Cookie: bindery-session=\(myID)"] {
                try expect(try await service.get("/counter", header), isProblem: "session-unknown", 401)
            }
        }
    }

    @Test("named twice is 400, and where no session is needed it is not looked at")
    func edges() async throws {
        try await withService { service in
            try expect(
                try await service.get("/counter", "Bindery-Session: a", "Bindery-Session: a"),
                isProblem: "malformed-header", 400)
            for (method, path) in [("GET", "/livez"), ("GET", "/"), ("POST", "/sessions")] {
                let answer = try await service.ask(method, path, ["Bindery-Session: a"])
                #expect((200...201).contains(answer.status))
            }
        }
    }

    @Test("a 401 leaves the cookie alone: a late one must not delete a newer session's")
    func cookieStays() async throws {
        try await withService { service in
            for path in ["/counter", "/session", "/changes"] {
                let answer = try await service.get(path, "Cookie: bindery-session=stale")
                #expect(answer.status == 401)
                #expect(answer["Set-Cookie"] == nil)
            }
        }
    }
}
