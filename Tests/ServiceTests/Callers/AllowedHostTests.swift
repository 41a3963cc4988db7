import HTTP
import TestSupport
import Testing
import ViewModels

@testable import Service

@Suite("The names under which a server may be asked")
struct AllowedHostTests {
    private static func allows(_ hosts: AllowedHosts, _ host: String) -> Bool {
        Array(host.utf8).withUnsafeBytes { hosts.allow($0) }
    }

    static let names = AllowedHosts(["example.org", "*.Example.net"]) ?? .any

    @Test(
        "a name of the list is allowed, in any case, with any port; an address always",
        arguments: [
            "example.org", "EXAMPLE.ORG", "example.org:8080", "example.org:", "example.org.", "a.example.net",
            "a.b.example.net",
            "A.EXAMPLE.NET:1", "127.0.0.1", "192.0.2.7:80", "[::1]", "[2001:db8::1]:8080", "[::ffff:192.0.2.7]",
        ])
    func allowed(host: String) { #expect(Self.allows(Self.names, host)) }

    @Test(
        "another is not, nor one that only looks like an address",
        arguments: [
            "", ":80", ".", "evil.test", "example.org.evil.test", "evilexample.org", "a.example.org", "example.net",
            ".example.net",
            "evilexample.net", "example.org:80:80", "example.org:x", "example.org..", "1.2.3", "1.2.3.4.evil.test",
            "0x7f.0.0.1",
            "2130706433", "::1", "[1.2.3.4]", "[example.org]", "[::1", "[::1]x", "[::1]evil.test", "[]", "127.0.0.1\0",
            "127.0.0.1@evil.test", "example.org/", "exam ple.org", "localhost",
        ])
    func refused(host: String) { #expect(!Self.allows(Self.names, host)) }

    @Test("the loopback names are localhost and what ends in it")
    func loopback() {
        for host in ["localhost", "LocalHost:8080", "localhost.", "app.localhost"] {
            #expect(Self.allows(.loopback, host), "\(host)")
        }
        for host in ["localhost.evil.test", "notlocalhost", "localhost.localdomain"] {
            #expect(!Self.allows(.loopback, host), "\(host)")
        }
    }

    @Test(
        "what is no name is none",
        arguments: ["", "*.", "a:80", "http://a", "a b", "*a.test", "a.*", "[::1]", "a/b", "bücher.test"])
    func malformed(name: String) { #expect(AllowedHosts(["a.test", name]) == nil) }

    @Test("a server on loopback is asked under its names, one elsewhere under any, if nothing is said")
    func standard() {
        var options = BinderyServer.Options()
        for host in ["127.0.0.1", "localhost", "::1", "127.1.2.3"] {
            options.host = host
            #expect(options.allowedHosts == .loopback, "\(host)")
        }
        for host in ["0.0.0.0", "::", "192.0.2.7"] {
            options.host = host
            #expect(options.allowedHosts.isAny, "\(host)")
        }
        options.service.allowedHosts = Self.names
        #expect(options.allowedHosts == Self.names)
    }

    @Test("another site's name that leads here is 421 on every path, and nothing is done")
    func rebinding() async throws {
        try await withService {
            $0.service.allowedHosts = nil
        } _: { service in
            // In memory, so that it could be answered without a task.
            #expect(try await service.get("/counter", "Host: localhost").status == 200)
            let evil = ["Host: evil.test:8080", "Origin: http://evil.test:8080"]
            for (method, path) in [
                ("GET", "/"), ("GET", "/openapi.yaml"), ("GET", "/session"),
                ("GET", "/counter"), ("GET", "/changes"), ("POST", "/counter/increment"), ("POST", "/sessions"),
                ("DELETE", "/session"),
            ] {
                try expect(try await service.ask(method, path, evil), isProblem: "misdirected-request", 421)
            }
            let stream = ["Host: evil.test", "Accept: text/event-stream"]
            try expect(try await service.ask("GET", "/changes", stream), isProblem: "misdirected-request", 421)
            #expect(try await service.get("/counter", "Host: localhost").json()["text"] == "0")
            #expect(try await service.get("/counter", "Host: 127.0.0.1:\(service.port)").status == 200)
        }
    }

    @Test("probes are answered under any name: balancers ask under one of their own", arguments: ["/livez", "/readyz"])
    func probes(path: String) async throws {
        try await withService {
            $0.service.allowedHosts = nil
        } _: { service in
            let answer = try await service.get(path, "Host: bindery:8080")
            #expect(answer.status == 200)
        }
    }

    @Test("HTTP/1.0 without Host is served: browsers do not speak it")
    func withoutHost() async throws {
        try await withService {
            $0.service.allowedHosts = nil
        } _: { service in
            let raw = try await service.connect().raw
            let answer = try await onThread {
                try raw.send("GET /livez HTTP/1.0\r\n\r\n")
                return try raw.readResponse()
            }
            #expect(answer.status == 200)
        }
    }

    @Test("behind a trusted proxy, the name that the proxy was asked under is looked at, if it says one")
    func behindProxy() async throws {
        try await withService {
            $0.service.allowedHosts = AllowedHosts(["app.test"])
            $0.trustedProxies = .loopback
        } _: { service in
            func status(_ headers: String...) async throws -> Int {
                try await service.ask("GET", "/counter", headers).status
            }
            #expect(try await status("Host: backend", "X-Forwarded-Host: app.test") == 200)
            #expect(try await status("Host: backend", "X-Forwarded-Host: evil.test, app.test:443") == 200)
            #expect(try await status("Host: app.test", "X-Forwarded-Host: evil.test") == 421)
            #expect(try await status("Host: 127.0.0.1", "X-Forwarded-Host: app.test, evil.test") == 421)
            #expect(try await status("Host: 127.0.0.1", "X-Forwarded-Host:") == 421)
            #expect(try await status("Host: app.test") == 200)
            #expect(try await status("Host: backend") == 421)
            try expect(
                try await service.get("/counter", "X-Forwarded-Host: app.test", "X-Forwarded-Host: app.test"),
                isProblem: "malformed-header", 400)
        }
    }

    @Test("whoever is no trusted proxy cannot say that it was asked under another name")
    func notBehindProxy() async throws {
        try await withService {
            $0.service.allowedHosts = AllowedHosts(["app.test"])
        } _: { service in
            let answer = try await service.get("/counter", "Host: evil.test", "X-Forwarded-Host: app.test")
            #expect(answer.status == 421)
        }
    }
}
