/// A language tag of BCP 47, as `en`, `de-ch` or `zh-hant`.
public struct Language: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The tag in lower case: tags that differ in case alone are one.
    public let rawValue: String

    /// Takes a tag of ASCII letters, digits and hyphens, a letter first, 64 bytes at most.
    ///
    /// - Returns: nil for any other text.
    public init?(_ tag: some StringProtocol) {
        rawValue = tag.lowercased()
        guard isName(rawValue) else { return nil }
    }

    /// Takes a tag from a program; a malformed one is a programming error and stops it.
    public init(stringLiteral tag: String) {
        guard let language = Self(tag) else { fatalError("\"\(tag)\" is not a language tag such as \"de-CH\".") }
        self = language
    }

    /// The tag.
    public var description: String { rawValue }
}
