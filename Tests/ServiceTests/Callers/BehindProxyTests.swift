import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("Changes from pages behind a proxy")
struct BehindProxyTests {
    /// What a proxy passes on, and whether the page is of the host that it was asked for.
    struct Passed: Sendable, CustomTestStringConvertible {
        let headers: [String]
        let isOurs: Bool
        var testDescription: String { headers.joined(separator: ", ") }

        init(_ headers: String..., isOurs: Bool) {
            self.headers = headers
            self.isOurs = isOurs
        }
    }

    static let passed = [
        Passed("Host: upstream", "Origin: http://app.test", isOurs: false),
        Passed("Host: upstream", "X-Forwarded-Host: app.test", "Origin: http://app.test", isOurs: true),
        Passed("Host: upstream", "X-Forwarded-Host: app.test:80", "Origin: http://app.test", isOurs: true),
        Passed("Host: upstream", "X-Forwarded-Host: app.test:443", "Origin: https://app.test", isOurs: true),
        Passed("Host: upstream", "X-Forwarded-Host: app.test:443", "Origin: http://app.test", isOurs: false),
        Passed("Host: app.test", "X-Forwarded-Host: evil.test", "Origin: http://app.test", isOurs: false),
        Passed("Host: app.test", "X-Forwarded-Proto: https", "Origin: https://app.test", isOurs: true),
        Passed("Host: app.test", "X-Forwarded-Proto: HTTPS", "Origin: https://app.test", isOurs: true),
        Passed("Host: app.test:443", "X-Forwarded-Proto: https", "Origin: https://app.test", isOurs: true),
        Passed("Host: app.test", "X-Forwarded-Proto: https", "Origin: http://app.test", isOurs: false),
        Passed("Host: app.test", "X-Forwarded-Proto: http", "Origin: https://app.test", isOurs: false),
        Passed("Host: app.test", "X-Forwarded-Proto: nonsense", "Origin: http://app.test", isOurs: false),
        Passed("Host: [::1]:80", "Origin: http://[::1]", isOurs: true),
        Passed("Host: app.test:80", "Origin: http://app.test", isOurs: true),
        Passed("Host: app.test:443", "Origin: https://app.test", isOurs: true),
        Passed("Host: app.test:8080", "Origin: http://app.test", isOurs: false),
        Passed("Host: app.test:80", "Origin: https://app.test", isOurs: false),
    ]

    @Test("a change is taken where the Origin is what the proxy was asked for", arguments: passed)
    func changes(passed: Passed) async throws {
        try await withService {
            $0.trustedProxies = .loopback
        } _: { service in
            let answer = try await service.ask("POST", "/counter/increment", passed.headers)
            if passed.isOurs {
                #expect(answer.status == 200, "\(answer.text)")
            } else {
                try expect(answer, isProblem: "cross-site", 403)
            }
        }
    }

    @Test("nobody else can say what it was asked for")
    func notTrusted() async throws {
        try await withService { service in
            try expect(
                try await service.post(
                    "/counter/increment", "Host: here.test", "X-Forwarded-Host: evil.test", "Origin: http://evil.test"),
                isProblem: "cross-site", 403)
        }
    }

    @Test("the advice is that of the cause: another site, a proxy that hides the host, or one that hides the scheme")
    func advice() async throws {
        try await withService {
            $0.trustedProxies = .loopback
        } _: { service in
            func detail(_ headers: String...) async throws -> String {
                try await service.ask("POST", "/counter/increment", headers).json()["detail"]?.string ?? ""
            }
            let site = try await detail("Sec-Fetch-Site: cross-site", "Origin: http://evil.test")
            #expect(!site.contains("proxy"))
            let host = try await detail("Host: upstream:8080", "Origin: http://app.test")
            #expect(host.contains("--trusted-proxy") && host.contains("X-Forwarded-Host"))
            let scheme = try await detail("Host: app.test", "Origin: https://app.test", "X-Forwarded-Proto: http")
            #expect(scheme.contains("X-Forwarded-Proto"))
            #expect(![site, host, scheme].contains { $0.contains("app.test") || $0.contains("evil.test") })
        }
    }
}
