internal import CGnuTLS

/// The secure hash of FIPS 180-4, and the keyed hash of RFC 2104 that is made of it, by GnuTLS.
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
