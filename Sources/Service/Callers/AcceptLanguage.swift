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

/// The values of a header like `Accept` or `Accept-Language` with their weights (RFC 9110, section 12.4.2).
struct WeightedList {
    /// The values in lower case, in the order of the header, without parameters other than the weight.
    let items: [(value: String, weight: Double)]

    var values: [String] { items.map(\.value) }

    /// Reads a header; what is malformed counts as absent.
    init(_ header: String) {
        // Byte by byte: this is read on an event loop, and may be as long as a head.
        items = header.utf8.split(separator: UInt8(ascii: ",")).compactMap { item in
            let parts = item.split(separator: UInt8(ascii: ";")).map(Self.plain)
            guard let value = parts.first, !value.isEmpty else { return nil }
            guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return (value, 1) }
            guard let number = Double(weight.dropFirst(2)), (0...1).contains(number) else { return nil }
            return (value, number)
        }
    }

    /// In lower case, without white space.
    private static func plain(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        for byte in text where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") {
            let isCapital = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            bytes.append(isCapital ? byte | 0x20 : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The weight of a media type, by the most specific range that fits it; 0 for none.
    func weight(ofMediaType type: String) -> Double {
        let kind = type.prefix { $0 != "/" }
        for range in [type, kind + "/*", "*/*"] {
            if let item = items.first(where: { $0.value == range }) { return item.weight }
        }
        return 0
    }
}
