import ViewModels

/// The languages in which the view models of a server speak.
public struct Languages: Hashable, Sendable {
    /// All of them; the first is the default.
    public let all: [Language]

    /// Names the default language and the others.
    public init(_ standard: Language, _ others: Language...) { self.init([standard] + others) }

    /// Nil for an empty list.
    package init?(listed languages: [Language]) {
        guard !languages.isEmpty else { return nil }
        self.init(languages)
    }

    private init(_ languages: [Language]) {
        all = languages.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The language of the public session, and of clients that ask for none of these.
    public var standard: Language { all[0] }

    /// The language for a client that asks for this one: `de` serves `de-CH` (RFC 4647, section 3.4); nil for none.
    public func lookup(_ language: Language) -> Language? {
        var subtags = language.rawValue.split(separator: "-")
        while !subtags.isEmpty {
            let range = subtags.joined(separator: "-")
            if let found = all.first(where: { $0.rawValue == range }) { return found }
            subtags.removeLast()
        }
        return nil
    }

    /// The language for outputs of an entity that another build may have stored.
    func spoken(_ tag: String) -> Language {
        if tag == standard.rawValue { return standard }
        return Language(tag).flatMap(lookup) ?? standard
    }

    /// The language for an `Accept-Language` field (RFC 9110, section 12.5.4).
    func preferred(by field: String?) -> Language {
        guard let field else { return standard }
        let items = WeightedList(field).items
        let refused = items.filter { $0.weight == 0 }.map(\.value)
        let accepted = all.filter { language in
            !refused.contains { "\(language.rawValue)-".hasPrefix("\($0)-") }
        }
        // `*` stands for the languages that no other range names, so it comes last among equals.
        let ranges = items.filter { $0.weight > 0 }
            .sorted { ($0.weight, $0.value == "*" ? 0 : 1) > ($1.weight, $1.value == "*" ? 0 : 1) }
        for range in ranges.map(\.value) {
            let found = range == "*" ? accepted.first : Language(range).flatMap(lookup)
            if let found, accepted.contains(found) { return found }
        }
        return accepted.first ?? standard
    }
}

extension Language {
    /// English.
    public static let english: Language = "en"
    /// Japanese.
    public static let japanese: Language = "ja"
}

/// The values of a field such as `Accept` with their weights (RFC 9110, section 12.4.2).
struct WeightedList {
    /// The values in lower case, in the order of the field, without parameters.
    let items: [(value: String, weight: Double)]

    /// Reads a field; a malformed item counts as absent.
    init(_ field: String) {
        items = field.utf8.split(separator: UInt8(ascii: ",")).compactMap { item in
            let parts = item.split(separator: UInt8(ascii: ";")).map { part in
                String(decoding: part.lazy.filter { !$0.isBlank }.map(\.lowercased), as: UTF8.self)
            }
            guard let value = parts.first, !value.isEmpty else { return nil }
            guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return (value, 1) }
            guard let number = Double(weight.dropFirst(2)), (0...1).contains(number) else { return nil }
            return (value, number)
        }
    }

    /// Whether an `Accept` prefers a media type that it names to another one.
    func prefers(_ type: String, to other: String) -> Bool {
        let names = items.map(\.value)
        guard names.contains(type) else { return false }
        let (own, others) = (weight(of: type), weight(of: other))
        return own > others || own == others && own > 0 && !names.contains(other)
    }

    /// The weight by the most specific range that fits.
    private func weight(of type: String) -> Double {
        for range in [type, type.prefix { $0 != "/" } + "/*", "*/*"] {
            if let item = items.first(where: { $0.value == range }) { return item.weight }
        }
        return 0
    }
}
