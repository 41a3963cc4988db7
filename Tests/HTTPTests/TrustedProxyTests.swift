import TestSupport
import Testing

@testable import HTTP

/// Protects from forged client addresses, hosts and schemes.
@Suite("Trusted proxies")
struct TrustedProxyTests {
    static let proxies = ["10.0.0.0/8", "2001:db8::/32"].compactMap { IPNetwork($0) }

    @Test(
        "the client is the right-most address that is not trusted, as far as trusted proxies vouch for it",
        arguments: [
            ("10.0.0.1", "203.0.113.7", "203.0.113.7"), ("10.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
            ("10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"),
            ("10.0.0.1", "198.51.100.1,203.0.113.7 ,\t10.0.0.2,2001:db8::2", "203.0.113.7"),
            // All are trusted: it began at the first of them.
            ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
            // A peer that is not trusted is the client, whatever it says.
            ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
            // What stands left of the client may be anything.
            ("10.0.0.1", "<script>, 203.0.113.7", "203.0.113.7"), ("10.0.0.1", ", 203.0.113.7", "203.0.113.7"),
            // Malformed where it matters.
            ("10.0.0.1", "", "10.0.0.1"), ("10.0.0.1", "203.0.113.7,", "10.0.0.1"), ("10.0.0.1", "unknown", "10.0.0.1"),
            ("10.0.0.1", "203.0.113.7, for=10.0.0.2", "10.0.0.1"), ("10.0.0.1", "[::1", "10.0.0.1"),
            // Some proxies add the port.
            ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"), ("10.0.0.1", "[2001:db9::7]:4711", "2001:db9::7"),
            ("10.0.0.1", "[2001:db9::7]", "2001:db9::7"), ("10.0.0.1", "2001:db9::7", "2001:db9::7"),
        ])
    func client(peer: String, forwardedFor: String, client: String) throws {
        let peer = try #require(IPAddress(peer))
        #expect(Self.proxies.client(of: peer, forwardedFor: forwardedFor).description == client)
    }

    /// Says what the server makes of a request.
    static let report = Route(.get, "/") { request in
        let words: [String?] = [
            request.client.description, request.isLocal ? "local" : "remote", request.forwardedHost,
            request.forwardedScheme,
        ]
        return .text(words.map { $0 ?? "-" }.joined(separator: " "))
    }

    private func report(to proxies: [String], _ headers: [String]) async throws -> String {
        let proxies = proxies.compactMap { IPNetwork($0) }
        let server = Server(routes: [Self.report], limits: .forTests, trustedProxies: proxies)
        let live = LiveServer(server: server, port: try server.start(), log: RecordingLog())
        let answer = try await live.exchange(
            "GET / HTTP/1.1\r\nHost: test\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n")
        await server.stop(within: .zero)
        return answer.text
    }

    @Test("a trusted proxy is believed on the client, the host and the scheme")
    func believed() async throws {
        let said = try await report(
            to: ["127.0.0.0/8"],
            [
                "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Host: inner.test, app.test", "X-Forwarded-Proto: https",
            ])
        #expect(said == "203.0.113.7 remote app.test https")
    }

    @Test("anybody else is not")
    func notBelieved() async throws {
        let said = try await report(
            to: ["10.0.0.0/8"],
            [
                "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Host: app.test", "X-Forwarded-Proto: https",
                "X-Forwarded-Proto: http",
            ])
        #expect(said == "127.0.0.1 local - -")
    }

    @Test(
        "the lines of several proxies are one list",
        arguments: [
            (["198.51.100.1", "203.0.113.7", "127.0.0.1"], "203.0.113.7"), (["203.0.113.7", ""], "127.0.0.1"),
        ])
    func lines(lines: [String], client: String) async throws {
        let said = try await report(to: ["127.0.0.1"], lines.map { "X-Forwarded-For: \($0)" })
        #expect(said == "\(client) remote - -")
    }

    @Test(
        "of several hosts or schemes the last one counts, and white space around it does not",
        arguments: [
            (["X-Forwarded-Host: a.test, \t c.test"], "c.test -"),
            (["X-Forwarded-Host: a.test", "X-Forwarded-Host: b.test"], "b.test -"),
            (["X-Forwarded-Proto: http", "X-Forwarded-Proto: https"], "- https"),
        ])
    func lastOne(lines: [String], said: String) async throws {
        #expect(try await report(to: ["127.0.0.1"], lines) == "127.0.0.1 remote " + said)
    }
}
