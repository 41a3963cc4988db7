extension JSONSchema {
    private static let texts = ["", "a", "Bindery", "a \"b\" \\ / \n\t\u{0}", "日本語 🎈 e\u{301}"]
    private static let integers: [Int128] = [0, 1, -1, 2, 10, 255, 65_536]
    private static let numbers = ["0", "1", "-0.5", "0.1", "1e9", "1e300", "-1e-300"]
    fileprivate static let uuids = ["00000000-0000-0000-0000-000000000000", "B1D3C7A0-6F4E-4C1B-9D2A-0123456789AB"]
    fileprivate static let urls = ["/", "https://example.org/a%20b?c=d#e", "mailto:a@example.org"]
    fileprivate static let bytes = ["", "AA==", "Qmluw6k="]

    /// How many values there may be in one before lists are empty and what may be missing is.
    private static let mostValues = 1000
    /// How often a type inside of itself is entered.
    private static let deepest = 3

    /// A value of the shape, as JSON text, ordinary or odd; nil where the shape does not tell enough.
    ///
    /// - Parameter isShort: whether no text of it is long.
    package func madeUp(by generator: inout SeededGenerator, isShort: Bool = false) -> String? {
        var left = Self.mostValues
        return madeUp(by: &generator, isShort, around: [:], depth: 0, &left)
    }

    private func madeUp(
        by generator: inout SeededGenerator, _ isShort: Bool, around: [String: JSONSchema], depth: Int,
        _ left: inout Int
    ) -> String? {
        left -= 1
        let isFull = left < 0
        func madeUp(_ schema: JSONSchema) -> String? {
            schema.madeUp(by: &generator, isShort, around: around, depth: depth, &left)
        }
        func list(_ schemas: [JSONSchema]) -> String? {
            let elements = schemas.map(madeUp)
            return elements.contains(nil) ? nil : "[\(elements.compactMap { $0 }.joined(separator: ","))]"
        }
        switch self {
        case .string:
            return JSON.text(generator.pick(Self.texts + (isShort ? [] : [String(repeating: "long ", count: 1000)])))
        case .formatted(let format): return JSON.text(generator.pick(format.texts))
        case .oneOf(let choices): return choices.isEmpty ? nil : JSON.text(generator.pick(choices))
        case .oneOfIntegers(let choices): return choices.isEmpty ? nil : String(generator.pick(choices))
        case .integer(let range):
            return String(generator.pick(Self.integers.filter(range.contains) + [range.lowerBound, range.upperBound]))
        case .number(let largest):
            return generator.pick(Self.numbers.filter { (Double($0) ?? 0).magnitude <= largest })
        case .date: return generator.pick(["0", "-63114076800", "0.1", "803649225.125"])
        case .boolean: return generator.pick(["true", "false"])
        case _ where isFull && isList: return isDictionary ? "{}" : "[]"
        case .array(let element): return list(Array(repeating: element, count: generator.pick([0, 1, 3]))) ?? "[]"
        case .tuple(let elements): return list(elements)
        case .pairs(let key, let value): return list(generator.oneIn(2) ? [key, value] : []) ?? "[]"
        case .dictionary(let element, let names):
            guard generator.oneIn(2), let value = madeUp(element), let name = madeUp(names) else { return "{}" }
            return "{\(name.quoted):\(value)}"
        case .object(let members):
            var texts: [String] = []
            for member in members where member.isRequired || (!isFull && !generator.oneIn(3)) {
                if let value = madeUp(member.schema) {
                    texts.append("\(JSON.text(member.name)):\(value)")
                } else if member.isRequired {
                    return nil
                }
            }
            return "{\(texts.joined(separator: ","))}"
        case .choice(let members):
            for member in members.shuffled(using: &generator) {
                if let value = madeUp(member.schema) { return "{\(JSON.text(member.name)):\(value)}" }
            }
            return nil
        case .nullable(let schema): return isFull || generator.oneIn(3) ? "null" : madeUp(schema) ?? "null"
        case .named(let name, let schema):
            return schema.madeUp(
                by: &generator, isShort, around: around.merging([name: schema]) { $1 }, depth: depth, &left)
        case .reference(let name):
            guard depth < Self.deepest else { return nil }
            return around[name]?.madeUp(by: &generator, isShort, around: around, depth: depth + 1, &left)
        case .anything: return nil
        }
    }

    private var isDictionary: Bool { if case .dictionary = self { true } else { false } }

    /// Whether it may be empty.
    private var isList: Bool {
        switch self {
        case .array, .pairs, .dictionary: true
        default: false
        }
    }

    /// How many values there are for an `init(from:)` to be tried on.
    var candidateCount: Int {
        switch self {
        case .array(let element): element.candidateCount == 0 ? 1 : 2 + element.candidateCount
        case .pairs: 1
        case .dictionary(let element, _): 1 + min(1, element.candidateCount)
        case .nullable(let schema): 1 + schema.candidateCount
        case .tuple, .object, .choice, .named: 4
        case .reference: 0
        default: candidateTexts?.count ?? plainCandidates.count
        }
    }

    /// One of them, as JSON text: plain ones first, and what holds nothing; nil where the shape does not tell enough.
    func candidate(_ index: Int) -> String? {
        switch self {
        case .array(let element):
            switch index {
            case 0: "[]"
            case 1: element.candidate(0).map { "[\($0),\($0)]" }
            default: element.candidate(index - 2).map { "[\($0)]" }
            }
        case .pairs: "[]"
        case .nullable(let schema): index == 0 ? "null" : schema.candidate(index - 1)
        case .dictionary(let element, let names):
            index == 0
                ? "{}" : element.candidate(0).flatMap { value in names.candidate(0).map { "{\($0.quoted):\(value)}" } }
        case .tuple, .object, .choice, .named:
            {
                var generator = SeededGenerator(seed: UInt64(index))
                return madeUp(by: &generator, isShort: true)
            }()
        case .reference: nil
        default: candidateTexts.map { JSON.text($0[index]) } ?? plainCandidates[index]
        }
    }

    private static let candidateTexts =
        ["", "a", "0", "en", "2001-01-01", "2001-01-01T00:00:00Z", "#000000"] + urls + uuids

    /// The texts of one that has nothing else for its values; nil for any other.
    private var candidateTexts: [String]? {
        switch self {
        case .string: Self.candidateTexts
        case .formatted(let format): format.texts
        case .oneOf(let choices): choices
        default: nil
        }
    }

    private var plainCandidates: [String] {
        switch self {
        case .oneOfIntegers(let choices): choices.map(String.init)
        case .integer(let range): [0, 1, 2, 10, 20, 100, 2001, -1].filter(range.contains).map { String($0) }
        case .number, .date: ["0", "1", "0.5", "10", "100", "-1"]
        case .boolean: ["false", "true"]
        case .anything: ["null", "false", "0", JSON.text(""), "[]", "{}"]
        default: []
        }
    }
}

extension String {
    /// A name's JSON text, which may stand for a number.
    var quoted: String { hasPrefix("\"") ? self : "\"\(self)\"" }
}

extension JSONSchema.Format {
    fileprivate var texts: [String] {
        switch self {
        case .uuid: JSONSchema.uuids
        case .url: JSONSchema.urls
        case .base64: JSONSchema.bytes
        }
    }
}
