import TestSupport
import Testing
import ViewModels

@Suite("The public session turned off")
struct PublicSessionOffTests {
    @Test(
        "whoever brings no token is 401 session-required",
        arguments: [
            ("GET", "/counter"), ("GET", "/login"), ("GET", "/session"), ("GET", "/changes"),
            ("POST", "/counter/increment"), ("DELETE", "/session"),
        ])
    func required(method: String, path: String) async throws {
        try await withService {
            $0.service.hasPublicSession = false
        } _: { service in
            try expect(try await service.ask(method, path), isProblem: "session-required", 401)
        }
    }

    @Test("health, description and index need no session", arguments: ["/", "/livez", "/readyz", "/openapi.yaml"])
    func open(path: String) async throws {
        try await withService {
            $0.service.hasPublicSession = false
        } _: { service in
            let answer = try await service.get(path)
            #expect(answer.status == 200)
        }
    }

    @Test("a session can be begun and used")
    func begin() async throws {
        try await withService {
            $0.service.hasPublicSession = false
        } _: { service in
            let token = try await service.begin()
            let answer = try await service.post("/counter/increment", "Authorization: Bearer \(token)")
            #expect(try answer.json()["text"] == "1")
        }
    }
}
