import ViewModels

/// The preferences of an `Accept-Language` header (RFC 9110, section 12.5.4).
enum AcceptLanguage {
    /// The language, of those we speak, that the caller likes best; Japanese where it says nothing else.
    static func preferred(in header: String?) -> Language {
        guard let header else { return .standard }
        let ranges = WeightedList(header)
        let liked = Language.allCases.map { language in (language, weight: ranges.weight(of: language)) }
        guard let best = liked.max(by: { $0.weight < $1.weight }), best.weight > 0 else { return .standard }
        // Where two are liked equally, the one that stands first in the header; `*` names none.
        let equals = liked.filter { $0.weight == best.weight }.map(\.0)
        let named = ranges.values.compactMap { range in equals.first { $0.matches(range) } }.first
        return named ?? equals.first { $0 == .standard } ?? best.0
    }
}

extension WeightedList {
    fileprivate func weight(of language: Language) -> Double {
        let named = items.filter { language.matches($0.value) }.map(\.weight).max()
        return named ?? items.first { $0.value == "*" }?.weight ?? 0
    }
}

extension Language {
    /// Basic filtering (RFC 4647, section 3.3.1), the other way round: `en-GB` is a way to ask for English.
    fileprivate func matches(_ range: String) -> Bool { range.prefix { $0 != "-" } == rawValue }
}
