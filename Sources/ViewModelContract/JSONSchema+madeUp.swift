import ViewModels

extension JSONSchema {
    /// Makes a text of this shape, sometimes with the largest numbers or an unusual text.
    func madeUp(by generator: inout SplitMix64) -> String {
        switch self {
        case .string: return Self.quoted(Self.texts.randomElement(using: &generator) ?? "")
        case .uuid: return "\"67E55044-10B1-426F-9247-BB680E5FE0C8\""
        case .url: return "\"https://example.org/a?b=c\""
        case .base64: return "\"AP8=\""
        case .oneOf(let texts): return Self.quoted(texts.randomElement(using: &generator) ?? "")
        case .integer(let range):
            let numbers = [range.lowerBound, range.upperBound, 0, 1, 2, -1].filter(range.contains)
            return "\(numbers.randomElement(using: &generator) ?? 0)"
        case .oneOfIntegers(let numbers): return "\(numbers.randomElement(using: &generator) ?? 0)"
        case .number: return ["0", "1.5", "-1", "1e300", "-1e-300"].randomElement(using: &generator) ?? "0"
        case .date: return ["0", "802483200", "-1e10"].randomElement(using: &generator) ?? "0"
        case .boolean: return Bool.random(using: &generator) ? "true" : "false"
        case .array(let schema):
            let elements = (0..<Int.random(in: 0...3, using: &generator)).map { _ in schema.madeUp(by: &generator) }
            return "[\(elements.joined(separator: ","))]"
        case .dictionary(let schema):
            let names = ["a", "", "é"].prefix(Int.random(in: 0...3, using: &generator))
            return Self.object(names.map { ($0, schema.madeUp(by: &generator)) })
        case .object(let members):
            let present = members.filter { $0.isRequired || Bool.random(using: &generator) }
            return Self.object(present.map { ($0.name, $0.schema.madeUp(by: &generator)) })
        case .anyOf(let schemas): return schemas.randomElement(using: &generator)?.madeUp(by: &generator) ?? "null"
        case .nullable(let schema): return generator.next() % 3 == 0 ? "null" : schema.madeUp(by: &generator)
        case .anything: return ["null", "true", "1", "\"a\"", "[]", "{}"].randomElement(using: &generator) ?? "null"
        }
    }

    private static let texts = [
        "", " ", "a", "Milk", "e\u{301}", "👩‍👧", "\"\\\n\u{0}", String(repeating: "long ", count: 100),
    ]

    private static func object(_ members: [(name: String, value: String)]) -> String {
        "{\(members.map { "\(quoted($0.name)):\($0.value)" }.joined(separator: ","))}"
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).text, as: UTF8.self)
    }
}
