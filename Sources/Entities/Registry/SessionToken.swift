/// The secret by which a client shows which session it means.
///
/// It has 128 random bits of the system's generator in base64url: 22 characters. Only the client keeps it, and nothing prints
/// it. The server knows the session by the token's hash (``entityID``).
package struct SessionToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let characters: String

    /// Draws a new token.
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

    /// The name of the session in the store, which opens nothing.
    package var entityID: EntityID { .session(Base64URL.encode(SHA256.digest(of: Array(characters.utf8)))) }

    /// Not the token.
    package var description: String { "‹token›" }
    /// Not the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
