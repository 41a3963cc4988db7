import CGnuTLS
import Foundation

/// The secret by which a client shows whose session it means.
///
/// 128 random bits from the system's generator in base64url: 22 characters. It is made by the server only, kept by
/// the client only, and never printed: the server knows it by its hash, the ``SessionID``.
package struct SessionToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let characters: String

    /// A new token.
    package static func random() -> SessionToken {
        var generator = SystemRandomNumberGenerator()
        return SessionToken(
            unchecked: Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }

    /// Takes a token from a request.
    ///
    /// - Returns: nil for anything that cannot have been made by ``random()``.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 22, text.utf8.allSatisfy(Base64URL.contains) else { return nil }
        characters = String(text)
    }

    private init(unchecked characters: String) { self.characters = characters }

    /// The token itself, to be handed to its owner and to nobody else.
    package var secret: String { characters }

    /// The name under which the session is kept.
    package var sessionID: SessionID { SessionID(rawValue: SHA256.hexDigest(of: characters.utf8)) }

    /// Not the token.
    package var description: String { "‹token›" }
    /// Not the token.
    package var debugDescription: String { "‹token›" }
    /// Not the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The name under which a session is kept: the SHA-256 of its token, in hexadecimal, or `public`.
///
/// It tells nobody the token, so it may stand in a store.
public struct SessionID: Hashable, Sendable {
    /// The text of the name.
    public let rawValue: String

    /// Takes a name from a store.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A name of the session that may be shown to anybody: it opens nothing and leads back to no token.
    ///
    /// 15 characters of base64url, the beginning of a SHA-256: the same on every replica and after a restart. Computed
    /// each time.
    public var publicID: String { Base64URL.encode(publicDigest) }

    /// The bytes that ``publicID`` writes, for whoever looks among many.
    var publicDigest: [UInt8] {
        Array(SHA256.digest(of: "bindery public session id\0\(rawValue)".utf8).prefix(11))
    }

    /// The session that is shared by all who bring no token.
    public static let `public` = SessionID(rawValue: "public")
}

/// The URL-safe base64 alphabet without padding (RFC 4648, section 5).
enum Base64URL {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// What ``encode(_:)`` made this text of; nil where it did not.
    static func decode(_ text: String) -> [UInt8]? {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).map(Array.init).flatMap { encode($0) == text ? $0 : nil }
    }
}

/// The secure hash of FIPS 180-4, and the keyed one of RFC 2104 that is made of it, by GnuTLS.
enum SHA256 {
    static func digest(of text: some Collection<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = Array(text).withUnsafeBytes {
            gnutls_hash_fast(GNUTLS_DIG_SHA256, $0.baseAddress, $0.count, &digest)
        }
        // The call fails only where the library is built without SHA-256 or has no memory left.
        precondition(status == GNUTLS_E_SUCCESS, "GnuTLS cannot compute a SHA-256.")
        return digest
    }

    static func hexDigest(of text: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest(of: text).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// HMAC-SHA256: what nobody can compute, or try texts against, who does not know the key.
    static func authenticationCode(of text: [UInt8], under key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let status = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, text, text.count, &code)
        // As above.
        precondition(status == GNUTLS_E_SUCCESS, "GnuTLS cannot compute an HMAC-SHA256.")
        return code
    }
}
