/// The name under which an idempotency key is kept: the SHA-256 of its session's name and of the key.
///
/// It tells nobody a key that cannot be guessed, so it may stand in a store. The same key in two sessions has two names.
public struct KeyDigest: Hashable, Sendable {
    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    /// Names a key of a session.
    public init(of key: String, in id: SessionID) {
        // No session's name has a zero byte in it.
        bytes = SHA256.digest(of: Array(id.rawValue.utf8) + [0] + key.utf8)
    }
}
