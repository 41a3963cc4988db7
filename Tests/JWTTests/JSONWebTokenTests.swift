import CJWT
import Foundation
import Testing
import ViewModels

@testable import BinderyJWT

/// Protects who counts as a user by a token.
@Suite("JSON Web Tokens")
struct JSONWebTokenTests {
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvXMiClFZ6ZZEuImMHtt1UbL/X7Q0
        7E7TcSGQBmc3iEtKVWKm7xhBhG8rLWCUiImFxKVZkq5giybCejFF9RmdIw==
        -----END PUBLIC KEY-----

        """
    private static let privateKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIBqMzMXbVuvVxJUBvndOgFIqV+Bwcu3fzlDrXSifOGXwoAoGCCqGSM49
        AwEHoUQDQgAEvXMiClFZ6ZZEuImMHtt1UbL/X7Q07E7TcSGQBmc3iEtKVWKm7xhB
        hG8rLWCUiImFxKVZkq5giybCejFF9RmdIw==
        -----END EC PRIVATE KEY-----

        """
    private static let secret = String(repeating: "s", count: 32)

    private func tokens(_ keys: String = publicKey) throws -> JSONWebTokens {
        try JSONWebTokens(keys: keys, named: "keys", "issuer", "app", "roles")
    }

    private func token(
        _ claims: String, _ algorithm: jwt_alg_t = JWT_ALG_ES256, key: String = privateKey
    ) -> Credentials {
        var jwt: OpaquePointer?
        #expect(jwt_new(&jwt) == 0 && jwt_add_grants_json(jwt, claims) == 0)
        defer { jwt_free(jwt) }
        let (bytes, isSigned) = (Array(key.utf8), algorithm != JWT_ALG_NONE)
        #expect(jwt_set_alg(jwt, algorithm, isSigned ? bytes : nil, isSigned ? Int32(bytes.count) : 0) == 0)
        let text = jwt_encode_str(jwt)
        defer { free(text) }
        return Credentials(authorization: "Bearer \(text.map { String(cString: $0) } ?? "")")
    }

    private func claims(_ changes: [String: String] = [:]) -> String {
        let now = Int(Date().timeIntervalSince1970)
        var claims = [
            "sub": "\"ann\"", "iss": "\"issuer\"", "aud": "\"app\"", "exp": "\(now + 60)", "roles": "[\"staff\"]",
        ]
        claims.merge(changes) { $1 }
        return "{" + claims.filter { !$0.value.isEmpty }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    @Test("name the user, the roles and the end of the session")
    func sound() throws {
        for aud in ["\"app\"", #"["other","app"]"#] {
            let user = try #require(try tokens().user(token(claims(["aud": aud, "nbf": "0"]))))
            #expect(user.id == "ann" && user.roles == ["staff"] && user.expires ?? .distantPast > Date())
        }
        #expect(try tokens(Self.secret + "\n").user(token(claims(), JWT_ALG_HS256, key: Self.secret))?.id == "ann")
        #expect(try tokens().user(token(claims(["roles": ""])))?.roles == [])
    }

    @Test("of a later key of the file count, too")
    func rotation() throws {
        let other = Self.publicKey.replacing("vXMiClFZ6ZZ", with: "vXMiClFZ6ZY")
        #expect(try tokens(other + Self.publicKey).user(token(claims()))?.id == "ann")
    }

    @Test(
        "with a wrong claim are refused",
        arguments: [
            ["iss": "\"other\""], ["aud": "\"other\""], ["aud": ""], ["aud": "7"], ["exp": "1"], ["exp": ""],
            ["nbf": "99999999999"], ["sub": "\"\""], ["sub": ""], ["sub": "7"],
        ])
    func wrongClaims(changes: [String: String]) throws {
        #expect(try tokens().user(token(claims(changes))) == nil)
    }

    @Test("are refused where the key did not sign them, or the algorithm is not the key's")
    func wrongKeys() throws {
        let signed = try #require(token(claims()).authorization)
        let parts = signed.split(separator: ".")
        let forged = Data(claims(["sub": "\"eve\""]).utf8).base64EncodedString().replacing("=", with: "")
        for credentials in [
            Credentials(authorization: "\(parts[0]).\(forged).\(parts[2])"),
            Credentials(authorization: "\(parts[0]).\(parts[1])."), Credentials(authorization: "Bearer x"),
            Credentials(authorization: "Basic " + signed.dropFirst(7)), Credentials(),
            token(claims(), JWT_ALG_NONE), token(claims(), JWT_ALG_HS256, key: Self.publicKey),
        ] { #expect(try tokens().user(credentials) == nil, "\(credentials)") }
        #expect(try tokens(Self.secret).user(token(claims(), JWT_ALG_HS256, key: Self.secret + "x")) == nil)
    }

    @Test("need a sound key")
    func keys() {
        #expect(throws: JSONWebTokens.KeyError.self) { try tokens("short") }
        #expect(throws: JSONWebTokens.KeyError.self) { try tokens(Self.privateKey) }
        #expect(throws: JSONWebTokens.KeyError.self) {
            try JSONWebTokens(keys: "/nowhere", issuer: "issuer", audience: "app")
        }
    }
}
