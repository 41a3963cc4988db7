import TestSupport
import Testing
import ViewModels

@Suite("Requests of other sites")
struct CrossSiteTests {
    struct Origin: Sendable, CustomTestStringConvertible {
        let headers: [String]
        let isOurs: Bool
        var testDescription: String { headers.joined(separator: ", ") }

        init(_ headers: String..., isOurs: Bool) {
            self.headers = headers
            self.isOurs = isOurs
        }
    }

    static let origins = [
        Origin(isOurs: true),
        Origin("Sec-Fetch-Site: same-origin", isOurs: true),
        Origin("Sec-Fetch-Site: none", isOurs: true),
        Origin("Sec-Fetch-Site: same-site", isOurs: false),
        Origin("Sec-Fetch-Site: cross-site", isOurs: false),
        Origin("Sec-Fetch-Site: nonsense", isOurs: false),
        Origin("Sec-Fetch-Site:", isOurs: false),
        Origin("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site", isOurs: false),
        // The browser's own word decides, not the Origin.
        Origin("Sec-Fetch-Site: same-origin", "Origin: http://evil.test", isOurs: true),
        Origin("Sec-Fetch-Site: cross-site", "Host: here.test", "Origin: http://here.test", isOurs: false),
        Origin("Host: here.test", "Origin: http://here.test", isOurs: true),
        Origin("Host: here.test", "Origin: https://here.test", isOurs: true),
        Origin("Host: Here.Test", "Origin: http://here.test", isOurs: true),
        Origin("Host: here.test:8080", "Origin: http://here.test:8080", isOurs: true),
        Origin("Host: here.test:8080", "Origin: http://here.test", isOurs: false),
        Origin("Host: here.test", "Origin: http://here.test:8080", isOurs: false),
        Origin("Host: here.test", "Origin: http://here.test.evil.test", isOurs: false),
        Origin("Host: here.test", "Origin: http://evil.test", isOurs: false),
        Origin("Host: here.test", "Origin: null", isOurs: false),
        Origin("Host: here.test", "Origin: here.test", isOurs: false),
        Origin("Host: here.test", "Origin:", isOurs: false),
        Origin("Host: here.test", "Origin: http://here.test", "Origin: http://evil.test", isOurs: false),
    ]

    @Test("a change on the public session is 403 where it comes from another site", arguments: origins)
    func publicSession(origin: Origin) async throws {
        try await withService { service in
            for (method, path) in [("POST", "/counter/increment"), ("POST", "/sessions"), ("DELETE", "/session")] {
                let answer = try await service.ask(method, path, origin.headers)
                if !origin.isOurs {
                    try expect(answer, isProblem: "cross-site", 403)
                } else if method == "DELETE" {
                    try expect(answer, isProblem: "public-session", 403)
                } else {
                    #expect((200...204).contains(answer.status), "\(method) \(path)")
                }
            }
        }
    }

    @Test("a change by cookie is 403 where it comes from another site, and changes nothing", arguments: origins)
    func cookie(origin: Origin) async throws {
        try await withService { service in
            let cookie = "Cookie: bindery-session=\(try await service.begin())"
            for (method, path) in [("POST", "/counter/increment"), ("DELETE", "/session")] {
                let answer = try await service.ask(method, path, origin.headers + [cookie])
                if origin.isOurs {
                    #expect((200...204).contains(answer.status), "\(method) \(path)")
                } else {
                    try expect(answer, isProblem: "cross-site", 403)
                    #expect(try await service.get("/counter", cookie).json()["text"] == "0")
                }
            }
        }
    }

    @Test("a Bearer token is proof enough, from wherever", arguments: origins)
    func bearer(origin: Origin) async throws {
        try await withService { service in
            let token = try await service.begin()
            let bearer = ["Authorization: Bearer \(token)"]
            for (method, path, status) in [
                ("POST", "/counter/increment", 200), ("POST", "/sessions", 201), ("DELETE", "/session", 204),
            ] {
                let answer = try await service.ask(method, path, origin.headers + bearer)
                #expect(answer.status == status, "\(method) \(path): \(answer.text)")
            }
        }
    }

    @Test("credentials that a browser adds by itself are no proof")
    func basic() async throws {
        try await withService { service in
            try expect(
                try await service.post("/sessions", "Sec-Fetch-Site: cross-site", "Authorization: Basic dGFybzo="),
                isProblem: "cross-site", 403)
        }
    }

    @Test("reading is allowed from everywhere", arguments: origins)
    func reading(origin: Origin) async throws {
        try await withService { service in
            for path in ["/counter", "/session", "/changes?wait=0", "/"] {
                let answer = try await service.ask("GET", path, origin.headers)
                #expect(answer.status == 200)
            }
        }
    }
}
