/// A language tag of BCP 47, such as `en`, `de-ch` or `zh-hant`.
public struct Language: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The tag in lower case, because case has no meaning.
    public let rawValue: String

    /// Makes a language from a tag of ASCII letters, digits and hyphens, a letter first, 64 bytes at most.
    ///
    /// - Returns: nil for any other text.
    public init?(_ tag: some StringProtocol) {
        rawValue = tag.lowercased()
        guard isName(rawValue) else { return nil }
    }

    /// Makes a language from a literal; a malformed tag stops the program.
    public init(stringLiteral tag: String) {
        guard let language = Self(tag) else { fatalError("\"\(tag)\" is not a language tag such as \"de-CH\".") }
        self = language
    }

    /// The tag.
    public var description: String { rawValue }
}
