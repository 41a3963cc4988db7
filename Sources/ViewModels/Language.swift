/// A language in which view models can speak to a user: a tag of BCP 47, as `en`, `de-CH` or `zh-Hant`.
///
/// Equal where the tags are, whatever the case of their letters.
public struct Language: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The tag, written as RFC 5646, section 2.1.1, recommends it.
    public let rawValue: String

    /// Japanese.
    public static let japanese: Language = "ja"
    /// English.
    public static let english: Language = "en"

    /// Takes a tag that has the form of one: subtags of one to eight letters and digits of ASCII, at most 64 bytes in all, the first
    /// subtag of letters alone.
    ///
    /// - Returns: nil for any other.
    public init?(_ tag: some StringProtocol) {
        let subtags = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard tag.utf8.count <= 64, let first = subtags.first, first.utf8.allSatisfy({ $0 > 0x39 }),
            subtags.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isAlphanumeric) })
        else { return nil }
        var parts = [first.lowercased()]
        for subtag in subtags.dropFirst() {
            // Only before the first singleton, which begins what is in lower case.
            let isOpen = parts.allSatisfy { $0.utf8.count > 1 }
            let subtag = subtag.lowercased()
            switch subtag.utf8.count {
            case 2 where isOpen: parts.append(subtag.uppercased())
            case 4 where isOpen && subtag.utf8.allSatisfy { $0 > 0x39 }:
                parts.append(subtag.prefix(1).uppercased() + subtag.dropFirst())
            default: parts.append(subtag)
            }
        }
        rawValue = parts.joined(separator: "-")
    }

    /// Takes a tag from a program, where a malformed one is a mistake of the programmer.
    public init(stringLiteral tag: String) {
        guard let language = Self(tag) else {
            fatalError("\"\(tag)\" is no language tag: one of BCP 47, as \"de-CH\".")
        }
        self = language
    }

    /// The tag.
    public var description: String { rawValue }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}

/// The languages that a host's view models speak, and which of them is taken where nobody asks for one.
public struct Languages: Hashable, Sendable {
    /// All of them; the first is the default.
    public let all: [Language]

    /// Names the default, and the others.
    public init(_ standard: Language, _ others: Language...) { self.init(standard, others) }

    package init(_ standard: Language, _ others: [Language]) {
        all = others.reduce(into: [standard]) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The language of whoever asks for none that is spoken, and of the public session.
    public var standard: Language { all[0] }

    /// What is spoken to whoever asked for a language once, perhaps of a build that spoke others.
    public func spoken(to language: Language) -> Language { lookup(language) ?? standard }

    /// What is spoken to whoever asks for a language, where something is: that, or else what is left of its tag when the end is cut
    /// off subtag by subtag, so that `de-CH` is spoken to in `de` (RFC 4647, section 3.4, "Lookup").
    public func lookup(_ language: Language) -> Language? {
        var range = language.rawValue[...]
        while true {
            if let found = all.first(where: { $0.rawValue == range }) { return found }
            guard let end = range.lastIndex(of: "-") else { return nil }
            range = range[..<end]
            // What stands alone means nothing without what came after it.
            if range.dropLast().last == "-" { range = range.dropLast(2) }
        }
    }
}
