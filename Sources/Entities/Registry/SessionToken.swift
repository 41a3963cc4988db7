internal import CGnuTLS

/// The secret that identifies a client's session.
///
/// It has 128 random bits of the system's generator in base64url: 22 characters. Only the client keeps it, and nothing prints
/// it. The server knows the session by the token's hash (``entityID``).
package struct SessionToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let characters: String

    package static func random() -> SessionToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return SessionToken(checked: Base64URL.encode(bytes))
    }

    /// Takes a token from a request; nil for a text of another length than ``random()`` makes.
    package init?(_ text: Substring) {
        guard text.utf8.count == 22 else { return nil }
        characters = String(text)
    }

    private init(checked characters: String) { self.characters = characters }

    /// The token itself, for its owner alone.
    package var secret: String { characters }

    /// The name of the session in the store, which is no credential.
    package var entityID: EntityID { .session(Base64URL.encode(SHA256.digest(of: Array(characters.utf8)))) }

    /// Hides the token.
    package var description: String { "‹token›" }
    /// Hides the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The URL-safe base64 coding without padding (RFC 4648, section 5).
package enum Base64URL {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The text of these bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count) = (0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                characters.append(alphabet[bits >> count & 63])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { characters.append(alphabet[bits << (6 - count) & 63]) }
        return String(decoding: characters, as: UTF8.self)
    }
}

/// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), by GnuTLS.
package enum SHA256 {
    /// The 32 bytes of the digest.
    package static func digest(of text: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            let status = gnutls_hash_fast(GNUTLS_DIG_SHA256, text, text.count, digest.baseAddress)
            precondition(status == GNUTLS_E_SUCCESS, "GnuTLS has no SHA-256: error \(status).")
            count = 32
        }
    }

    /// HMAC-SHA256: 32 bytes that nobody can compute without the key.
    package static func authenticationCode(of text: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { code, count in
            let status = gnutls_hmac_fast(
                GNUTLS_MAC_SHA256, key, key.count, text, text.count, code.baseAddress)
            precondition(status == GNUTLS_E_SUCCESS, "GnuTLS has no HMAC-SHA256: error \(status).")
            count = 32
        }
    }
}
