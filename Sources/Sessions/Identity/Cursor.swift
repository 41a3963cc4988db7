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
