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
