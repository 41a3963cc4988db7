/// A language tag of BCP 47, as `en`, `de-ch` or `zh-hant`.
public struct Language: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The tag in lower case: tags that differ in case alone are one.
    public let rawValue: String

    /// Takes a tag of subtags with one to eight ASCII letters and digits, 64 bytes at most, the first of letters alone.
    ///
    /// - Returns: nil for any other text.
    public init?(_ tag: some StringProtocol) {
        rawValue = tag.lowercased()
        // Without a regular expression: outputs compare a language with a literal, which is checked here each time.
        var (length, isFirst) = (0, true)
        for byte in rawValue.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): length += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: length += 1
            case UInt8(ascii: "-") where length > 0: (length, isFirst) = (0, false)
            default: return nil
            }
            guard length <= 8 else { return nil }
        }
        guard length > 0, rawValue.utf8.count <= 64 else { return nil }
    }

    /// Takes a tag from a program; a malformed one is a programming error and stops it.
    public init(stringLiteral tag: String) {
        guard let language = Self(tag) else { fatalError("\"\(tag)\" is not a language tag such as \"de-CH\".") }
        self = language
    }

    /// The tag.
    public var description: String { rawValue }
}
