// A shape that a type says of itself may be none.

extension JSONSchema {
    /// What makes it no shape, in a clause that follows the type's name; nil for nothing.
    ///
    /// - Parameter names: the shapes around it.
    func complaint(around names: Set<String>) -> String? {
        switch self {
        case .object(let members), .choice(let members):
            let all = members.map(\.name)
            if let twin = all.indices.first(where: { all[..<$0].contains(all[$0]) }) {
                return "says the member \"\(all[twin])\" twice; say it once"
            }
            if case .choice([]) = self { return Self.ofNothing }
        case .oneOf(let choices): return Self.complaint(of: choices.map { "\"\($0)\"" })
        case .oneOfIntegers(let choices): return Self.complaint(of: choices.map(String.init))
        case .number(let largest) where !(largest >= 0 && largest.isFinite):
            return "says .number(\(largest)); say the largest magnitude there may be"
        case .named("", _): return "says .named(\"\", …); give the shape a name"
        case .named(let name, let inner):
            if inner.isAtOnce(.reference(name)) {
                return "says a shape, \"\(name)\", that is itself and nothing else; say what it consists of"
            }
            return inner.complaint(around: names.union([name]))
        case .reference(let name) where !names.contains(name):
            return "says .reference(\"\(name)\"), with no .named(\"\(name)\", …) around it in its own jsonSchema; "
                + "say that, or JSONSchema(of:) of the type that is meant, in a computed jsonSchema"
        case .dictionary(_, let keys):
            if let complaint = keys.complaint(around: names) { return complaint }
        default: break
        }
        return parts.lazy.compactMap { $0.complaint(around: names) }.first
    }

    private static func complaint(of choices: [String]) -> String? {
        if choices.isEmpty { return ofNothing }
        // To the byte, as values are compared.
        var said: Set<[UInt8]> = []
        let twin = choices.first { !said.insert(Array($0.utf8)).inserted }
        return twin.map { "says the choice \($0) twice; say it once" }
    }

    private static let ofNothing = "says a choice of nothing; say what there is to choose"

    /// Whether a value of it is one of the other shape, without anything around it.
    private func isAtOnce(_ other: JSONSchema) -> Bool {
        switch self {
        case .nullable(let inner), .named(_, let inner): inner.isAtOnce(other)
        default: self == other
        }
    }
}
