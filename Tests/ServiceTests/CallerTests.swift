import Testing

@testable import Service

/// Protects sessions from other sites, other hosts and wrong tokens.
@Suite("Callers")
struct CallerTests {
    @Test("The cookie and the Bearer token lead to the session, the token first")
    func credentials() async throws {
        try await TestServer.run { server in
            let session = try await server.begin()
            _ = try await server.ask("POST", "/counter/increment", session)
            let token = session.split(separator: " ")[2]
            let other = "Cookie: bindery-session=\(try await server.begin().split(separator: " ")[2])"
            let own = #""text":"1""#
            #expect(try await server.ask("GET", "/counter", "Cookie: a=b; bindery-session=\(token)").text.contains(own))
            #expect(try await server.ask("GET", "/counter", other, session).text.contains(own))
            // Several fields are one (RFC 9113, section 8.2.3, and many proxies).
            let cookies = ["Cookie: a=b", "Cookie: bindery-session=\(token)", "Cookie: c=d"]
            #expect(try await server.ask("GET", "/counter", cookies).text.contains(own))
            let twice = try await server.ask("GET", "/counter", other, "Cookie: bindery-session=\(token)")
            #expect(twice.status == 400 && twice.problem == "malformed-header")
        }
    }

    @Test(
        "A token that no server made never falls back to the public session",
        arguments: [
            "Authorization: Bearer x", "Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAA", "Authorization: Bearer",
            "Authorization: Digest a", "Authorization: Basic a, Bearer b", "Cookie: bindery-session=",
            "Cookie: bindery-session=AAAAAAAAAAAAAAAAAAAAAA",
        ])
    func unknown(_ field: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("GET", "/counter", field)
            #expect(reply.status == 401 && reply.problem == "session-unknown" && reply["set-cookie"] == nil)
        }
    }

    @Test("Basic credentials of a proxy, and cookies of others, are no token")
    func none() async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("GET", "/counter", "Authorization: Basic YTpi", "Cookie: session=x")
            #expect(reply.status == 200)
        }
    }

    @Test("Without a public session a caller needs one of its own")
    func required() async throws {
        try await TestServer.run(options: { $0.service.hasPublicSession = false }) { server in
            #expect(try await server.ask("GET", "/counter").problem == "session-required")
            let session = try await server.begin()
            #expect(try await server.ask("GET", "/counter", session).status == 200)
        }
    }

    @Test("A secure cookie has the prefix")
    func secure() async throws {
        try await TestServer.run(options: { $0.service.hasSecureCookies = true }) { server in
            let cookie = try #require(try await server.ask("POST", "/sessions")["set-cookie"])
            #expect(cookie.hasPrefix("__Host-bindery-session=") && cookie.hasSuffix("; Path=/; Secure"))
            let field = "Cookie: " + cookie.prefix { $0 != ";" }
            #expect(try await server.ask("GET", "/session", field).text.contains(#""public":false"#))
        }
    }

    @Test(
        "Another site's page changes nothing by cookie or in the public session",
        arguments: [
            (["Sec-Fetch-Site: same-origin"], 200), (["Sec-Fetch-Site: none"], 200), ([], 200),
            (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-site"], 403),
            (["Origin: http://localhost:80"], 200), (["Origin: http://LOCALHOST"], 200),
            (["Origin: http://other.example"], 403), (["Origin: null"], 403), (["Origin: http://localhost:81"], 403),
            (["Sec-Fetch-Site: same-origin", "Origin: http://other.example"], 200),
        ])
    func crossSite(_ fields: [String], _ status: Int) async throws {
        try await TestServer.run { server in
            #expect(try await server.ask("POST", "/counter/increment", fields).status == status)
            #expect(try await server.ask("POST", "/sessions", fields).status == (status == 200 ? 201 : 403))
            #expect(try await server.ask("GET", "/counter", fields).status == 200)
            let session = try await server.begin()
            #expect(try await server.ask("POST", "/counter/increment", fields + [session]).status == 200)
        }
    }

    @Test("Pages of an allowed origin read every answer, and act by a token alone")
    func allowedOrigin() async throws {
        let origin = "Origin: https://app.example"
        let options: (inout BinderyServer.Options) -> Void = {
            $0.service.allowedOrigins = [WebOrigin("https://app.example")].compactMap(\.self).reduce(into: []) {
                $0.insert($1)
            }
        }
        try await TestServer.run(options: options) { server in
            for path in ["/counter", "/nothing", "/changes?since=!"] {
                let reply = try await server.ask("GET", path, "Origin: https://APP.example:443")
                #expect(reply["access-control-allow-origin"] == "https://app.example")
            }
            #expect(
                try await server.ask("GET", "/counter", "Origin: https://b.example")["access-control-allow-origin"]
                    == nil)
            let begun = try await server.ask("POST", "/sessions", origin)
            #expect(begun.status == 201 && begun["set-cookie"] == nil)
            #expect(try await server.ask("POST", "/counter/increment", origin).problem == "cross-site")
            let session = "Authorization: Bearer \(try begun.string("token"))"
            #expect(try await server.ask("POST", "/counter/increment", origin, session).status == 200)
            let asked = "Access-Control-Request-Method: POST"
            let flight = try await server.ask("OPTIONS", "/counter/increment", origin, asked)
            #expect(flight.status == 204 && flight["access-control-allow-methods"]?.contains("POST") == true)
            #expect(try await server.ask("OPTIONS", "/counter", asked)["access-control-allow-origin"] == nil)
        }
    }

    @Test(
        "A Host that is not ours is 421, but never an IP address",
        arguments: [
            ("localhost", 200), ("LOCALHOST:8080", 200), ("a.localhost.", 200), ("127.0.0.1:1", 200), ("[::1]:80", 200),
            ("bindery.example", 421), ("localhost.example", 421), ("xlocalhost", 421),
        ])
    func hosts(_ host: String, _ status: Int) async throws {
        try await TestServer.run { server in
            let reply = try await server.ask("GET", "/counter", "Host: \(host)")
            #expect(reply.status == status)
            #expect(try await server.ask("GET", "/livez", "Host: \(host)").status == 200)
        }
    }

    @Test("Behind a proxy that sends a Host of its own, a refusal names the option that helps")
    func helps() async throws {
        try await TestServer.run { server in
            let fields = ["Host: 127.0.0.1:8080", "Origin: http://app.example"]
            let action = try await server.ask("POST", "/counter/increment", fields)
            #expect(action.problem == "cross-site" && action.detail.contains("--trusted-proxy"))
            let upstream = try await server.ask("GET", "/counter", "Host: bindery")
            #expect(upstream.problem == "misdirected-request" && upstream.detail.contains("--allowed-hosts"))
        }
    }

    @Test(
        "Allowed hosts are names, exact or with a wildcard",
        arguments: [
            (["a.example"], "a.example", true), (["a.example"], "b.a.example", false),
            (["*.a.example"], "b.a.example", true),
            (["*.a.example"], "a.example", false), (["*"], "any", true), (["A.example"], "a.EXAMPLE", true),
        ])
    func patterns(_ names: [String], _ host: String, _ isAllowed: Bool) throws {
        let hosts = try #require(AllowedHosts(names))
        #expect(Array(host.utf8).withUnsafeBytes { hosts.allow($0) } == isAllowed)
        for bad in ["", "a b", "https://a", "a:80", ".a"] { #expect(AllowedHosts([bad]) == nil) }
    }
}
