extension JSONSchema {
    private static let texts = ["", "a", "Bindery", "a \"b\" \\ / \n\t\u{0}", "日本語 🎈 e\u{301}"]
    private static let integers: [Int128] = [0, 1, -1, 2, 10, 255, 65_536]
    private static let numbers = ["0", "1", "-0.5", "0.1", "1e9", "1e300", "-1e-300"]

    /// A value of the shape, as JSON text, ordinary or odd; nil where the shape does not tell enough.
    package func madeUp(by generator: inout SeededGenerator) -> String? {
        switch self {
        case .string: return Self.text(generator.pick(Self.texts + [String(repeating: "long ", count: 1000)]))
        case .oneOf(let choices): return choices.isEmpty ? nil : Self.text(generator.pick(choices))
        case .integer(let range):
            return String(generator.pick(Self.integers.filter(range.contains) + [range.lowerBound, range.upperBound]))
        case .number(let largest):
            return generator.pick(Self.numbers.filter { (Double($0) ?? 0).magnitude <= largest })
        case .boolean: return generator.pick(["true", "false"])
        case .array(let element):
            let elements = (0..<generator.pick([0, 1, 3])).map { _ in element.madeUp(by: &generator) }
            return elements.contains(nil) ? "[]" : "[\(elements.compactMap { $0 }.joined(separator: ","))]"
        case .dictionary(let element):
            guard generator.oneIn(2), let value = element.madeUp(by: &generator) else { return "{}" }
            return "{\(Self.text(generator.pick(Self.texts))):\(value)}"
        case .object(let members): return Self.object(members, by: &generator)
        case .nullable(let schema): return generator.oneIn(3) ? "null" : schema.madeUp(by: &generator) ?? "null"
        case .open, .anything: return nil
        }
    }

    private static func object(_ members: [Member], by generator: inout SeededGenerator) -> String? {
        var texts: [String] = []
        for member in members where member.isRequired || !generator.oneIn(3) {
            if let value = member.schema.madeUp(by: &generator) {
                texts.append("\(text(member.name)):\(value)")
            } else if member.isRequired {
                return nil
            }
        }
        return "{\(texts.joined(separator: ","))}"
    }

    private static func text(_ text: String) -> String {
        // A string is always encoded.
        String(decoding: (try? JSON.encode(text)) ?? [], as: UTF8.self)
    }
}
