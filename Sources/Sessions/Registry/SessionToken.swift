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
    /// Not generic: it is called with every request, from another module, where the compiler would not specialize it.
    ///
    /// - Returns: nil for anything that cannot have been made by ``random()``.
    package init?(_ text: Substring) {
        guard text.utf8.count == 22, text.utf8.allSatisfy(Base64URL.contains) else { return nil }
        characters = String(text)
    }

    /// The same of a whole text.
    package init?(_ text: String) { self.init(text[...]) }

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
