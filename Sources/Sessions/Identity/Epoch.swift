import Foundation

/// A random mark of one history of a session, stored with it.
///
/// A cursor of an epoch that the session does not have is recognised instead of trusted.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
    /// Six characters of base64url (RFC 4648, section 5): 36 random bits.
    public let rawValue: String

    /// A new mark.
    public static func random() -> Epoch {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Base64URL.alphabet
        return Epoch(
            unchecked: String(decoding: (0..<6).map { _ in alphabet[Int(generator.next() % 64)] }, as: UTF8.self))
    }

    /// Takes a mark back from text, such as a cursor or a stored record.
    ///
    /// - Returns: nil where the text is not 1 to 16 characters of base64url.
    public init?(_ text: some StringProtocol) {
        guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy(Base64URL.contains) else { return nil }
        rawValue = String(text)
    }

    private init(unchecked rawValue: String) { self.rawValue = rawValue }

    /// The characters of the mark.
    public var description: String { rawValue }
}
