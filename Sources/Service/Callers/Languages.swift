import HTTP
import ViewModels

/// The languages of a server's outputs.
public struct Languages: Hashable, Sendable {
    /// All languages; the first is the default.
    public let all: [Language]

    /// Makes a list of languages, the default first.
    public init(_ standard: Language, _ others: Language...) {
        all = others.reduce(into: [standard]) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The language of the public session, and of clients that accept none of the languages.
    public var standard: Language { all[0] }

    /// The language that matches a client's language: `de` for `de-CH` (RFC 4647, section 3.4); nil if none matches.
    func lookup(_ language: Language) -> Language? {
        all.filter { language == $0 || language.rawValue.hasPrefix($0.rawValue + "-") }
            .max { $0.rawValue.utf8.count < $1.rawValue.utf8.count }
    }

    /// The language for an `Accept-Language` field (RFC 9110, section 12.5.4).
    func preferred(by field: String?) -> Language {
        preferences(field ?? "").lazy.compactMap { Language($0).flatMap(lookup) }.first ?? standard
    }
}

extension Language {
    /// English.
    public static let english: Language = "en"
    /// Japanese.
    public static let japanese: Language = "ja"
}

/// The values of a field such as `Accept` (RFC 9110, section 12.4.2), best first, in lower case, without parameters.
///
/// A malformed value counts as absent.
private func preferences(_ field: String) -> [String] {
    let items = field.utf8.split(separator: UInt8(ascii: ",")).compactMap { item -> (value: String, weight: Double)? in
        let parts = item.split(separator: UInt8(ascii: ";")).map { part in
            String(decoding: part.lazy.filter { !$0.isBlank }.map(\.lowercased), as: UTF8.self)
        }
        guard let value = parts.first else { return nil }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
        return (0...1).contains(weight) && weight > 0 ? (value, weight) : nil
    }
    return items.sorted { $0.weight > $1.weight }.map(\.value)
}

extension Request {
    /// Whether the request's `Accept` has the type, and does not prefer the other.
    func prefers(_ type: String, to other: String) -> Bool {
        header(.accept).flatMap { preferences($0).first { $0 == type || $0 == other } } == type
    }
}
