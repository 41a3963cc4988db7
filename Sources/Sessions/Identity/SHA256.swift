import CGnuTLS

/// The secure hash of FIPS 180-4, by GnuTLS.
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
}
