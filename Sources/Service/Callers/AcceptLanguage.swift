import ViewModels

/// The preferences of an `Accept-Language` header (RFC 9110, section 12.5.4).
enum AcceptLanguage {
    /// The language, of those that are spoken, that the caller likes best (RFC 4647, section 3.4); the default where it names none.
    static func preferred(in header: String?, of languages: Languages) -> Language {
        guard let header else { return languages.standard }
        let items = WeightedList(header).items
        let refused = items.filter { $0.weight == 0 }.map(\.value)
        let accepted = languages.all.filter { language in !refused.contains { language.isCovered(by: $0) } }
        // In the order of the header where two are liked equally, but for `*`, which says nothing where another range follows.
        func rank(_ item: (value: String, weight: Double)) -> (Double, Int) { (item.weight, item.value == "*" ? 0 : 1) }
        for range in items.filter({ $0.weight > 0 }).sorted(by: { rank($0) > rank($1) }).map(\.value) {
            let found = range == "*" ? accepted.first : Language(range).flatMap { languages.lookup($0) }
            if let found, accepted.contains(found) { return found }
        }
        return languages.standard
    }
}

extension Language {
    /// Basic filtering (RFC 4647, section 3.3.1): `en` is a range with `en-GB` in it.
    ///
    /// - Parameter range: in lower case.
    fileprivate func isCovered(by range: String) -> Bool { "\(rawValue.lowercased())-".hasPrefix("\(range)-") }
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

    /// Whether the list, of an `Accept`, likes a media type better than another.
    ///
    /// Liked equally, the one that is named counts for more than the one that a range allows.
    func prefers(_ type: String, to other: String) -> Bool {
        guard values.contains(type) else { return false }
        let (own, others) = (weight(ofMediaType: type), weight(ofMediaType: other))
        return own > others || (own == others && own > 0 && !values.contains(other))
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
