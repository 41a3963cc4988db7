internal import CJWT
import Foundation
import ViewModels

/// Verifies the JSON Web Tokens (RFC 7519) of an issuer, so that a session belongs to the issuer's user.
///
/// ```swift
/// let tokens = try JSONWebTokens(keys: "/etc/app/issuer.pem", issuer: "https://login.example.org", audience: "app")
/// options.service.authenticate = tokens.user
/// ```
/// A client begins a session with `Authorization: Bearer TOKEN` at `POST /sessions`. Later requests use the session's own
/// token. The session ends with the token (`exp`). Safe from any thread.
public struct JSONWebTokens: Sendable {
    /// The keys cannot be used; the text has the reason.
    public struct KeyError: Error, CustomStringConvertible {
        /// The error in one sentence.
        public let description: String
    }

    /// The claims that the server reads (RFC 7519, section 4.1), without the roles.
    private struct Claims: Decodable {
        let sub: String
        let iss: String
        let exp: Double
        let nbf: Double?
    }

    private let keys: [[UInt8]]
    private let areSecrets: Bool
    private let issuer: String
    private let audience: String
    private let roles: String

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - path: a file with all public keys of the issuer in PEM (RS256 to RS512, ES256 to ES512); or with one secret of
    ///     32 bytes or more (HS256 to HS512). The kind of key decides which algorithms are accepted.
    ///   - issuer: the required `iss`.
    ///   - audience: the required `aud`, or a required element of it.
    ///   - roles: the name of the claim with the roles, a list of texts.
    /// - Throws: ``KeyError``.
    public init(keys path: String, issuer: String, audience: String, roles: String = "roles") throws(KeyError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw KeyError(description: "The file \(path) cannot be read.")
        }
        try self.init(keys: String(decoding: data, as: UTF8.self), named: path, issuer, audience, roles)
    }

    init(
        keys text: String, named path: String, _ issuer: String, _ audience: String, _ roles: String
    ) throws(KeyError) {
        (self.issuer, self.audience, self.roles) = (issuer, audience, roles)
        let marker = "-----BEGIN "
        areSecrets = !text.contains(marker)
        if areSecrets {
            let secret = Array(text.trimmingCharacters(in: .newlines).utf8)
            // RFC 7518, section 3.2.
            guard secret.count >= 32 else {
                throw KeyError(description: "The secret in \(path) has less than 32 bytes.")
            }
            keys = [secret]
        } else {
            guard !text.contains("PRIVATE KEY") else {
                throw KeyError(description: "The file \(path) has a private key. Only the issuer should have it.")
            }
            keys = text.components(separatedBy: marker).dropFirst().map { Array((marker + $0).utf8) }
        }
    }

    /// The user of a token that one of the keys has signed; nil for any other credentials.
    public func user(_ credentials: Credentials) -> User? {
        let words = credentials.authorization?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let now = Date().timeIntervalSince1970
        for key in keys {
            guard let text = verified(String(words[1]), by: key) else { continue }
            guard let claims = try? JSON.decode(Claims.self, from: text), let json = try? JSONValue(parsing: text),
                case .object(let members) = json
            else { return nil }
            // Clocks differ by some seconds, so `nbf` may be a little later.
            guard claims.iss == issuer, Self.texts(members["aud"]).contains(audience), claims.exp > now,
                (claims.nbf ?? 0) <= now + 30, !claims.sub.isEmpty
            else { return nil }
            return User(
                claims.sub, roles: Set(Self.texts(members[roles])), expires: Date(timeIntervalSince1970: claims.exp))
        }
        return nil
    }

    /// The claims as JSON; nil if this key did not sign the token.
    private func verified(_ token: String, by key: [UInt8]) -> [UInt8]? {
        var jwt: OpaquePointer?
        guard jwt_decode(&jwt, token, key, Int32(key.count)) == 0, let jwt else { return nil }
        defer { jwt_free(jwt) }
        // The token names its own algorithm. With HS256, a public key would be the secret, and everybody could sign.
        let secrets: [jwt_alg_t] = [JWT_ALG_HS256, JWT_ALG_HS384, JWT_ALG_HS512]
        let algorithm = jwt_get_alg(jwt)
        guard algorithm != JWT_ALG_NONE, secrets.contains(algorithm) == areSecrets,
            let text = jwt_get_grants_json(jwt, nil)
        else { return nil }
        defer { free(text) }
        return Array(String(cString: text).utf8)
    }

    /// A text, or a list of texts (RFC 7519, section 4.1.3).
    private static func texts(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let values): values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        default: []
        }
    }
}
