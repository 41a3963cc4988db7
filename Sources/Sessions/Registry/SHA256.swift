import CGnuTLS

/// The secure hash of FIPS 180-4, and the keyed one of RFC 2104 that is made of it, by GnuTLS.
package enum SHA256 {
    static func digest(of text: some Collection<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = Array(text).withUnsafeBytes {
            gnutls_hash_fast(GNUTLS_DIG_SHA256, $0.baseAddress, $0.count, &digest)
        }
        // The call fails only where the library is built without SHA-256 or has no memory left.
        precondition(status == GNUTLS_E_SUCCESS, "GnuTLS cannot compute a SHA-256.")
        return digest
    }

    /// The digest of a text, as 64 hexadecimal digits in lower case.
    package static func hexDigest(of text: some Collection<UInt8>) -> String {
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
