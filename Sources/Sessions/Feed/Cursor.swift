/// A place in one session's change feed.
///
/// Written as `EPOCH.SEQ`, as in an ETag or `?since=`. The epoch marks the history that the commit was made in
/// (``SessionHistory``), so that a cursor of what the store lost is recognised instead of trusted.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
    /// The mark of the history that it belongs to.
    public let epoch: Epoch
    /// The number of the commit, 0 for the beginning.
    public let seq: UInt64

    /// Names a place.
    public init(epoch: Epoch, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Reads a cursor.
    ///
    /// - Returns: nil where the text is malformed: no epoch, no dot, or a number that is not plain decimal digits
    ///   without leading zeros, at most `UInt64.max`.
    public init?(_ text: some StringProtocol) {
        guard let dot = text.lastIndex(of: "."), let epoch = Epoch(text[..<dot]) else { return nil }
        let digits = text[text.index(after: dot)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits == "0" || !digits.hasPrefix("0"),
            let seq = UInt64(digits)
        else { return nil }
        self.init(epoch: epoch, seq: seq)
    }

    /// The cursor as it is written on the wire.
    public var description: String { "\(epoch.rawValue).\(seq)" }

    /// The cursor as a strong entity tag (RFC 9110, section 8.8.3).
    public var entityTag: String { "\"\(epoch.rawValue).\(seq)\"" }
}

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
