/// The values of a header like `Accept` or `Accept-Language` with their weights (RFC 9110, section 12.4.2).
struct WeightedList {
    /// The values in lower case, in the order of the header, without parameters other than the weight.
    let items: [(value: String, weight: Double)]

    var values: [String] { items.map(\.value) }

    /// Reads a header; what is malformed counts as absent.
    init(_ header: String) {
        items = header.split(separator: ",").compactMap { item in
            let parts = item.split(separator: ";").map { part in part.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let value = parts.first, !value.isEmpty else { return nil }
            guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return (value, 1) }
            guard let number = Double(weight.dropFirst(2)), (0...1).contains(number) else { return nil }
            return (value, number)
        }
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
