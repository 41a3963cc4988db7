/// The name under which a session is kept: the SHA-256 of its token, in hexadecimal, or `public`.
///
/// It tells nobody the token, so it may stand in a store.
public struct SessionID: Hashable, Sendable {
    /// The text of the name.
    public let rawValue: String

    /// Takes a name from a store.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The session that is shared by all who bring no token.
    public static let `public` = SessionID(rawValue: "public")
}
