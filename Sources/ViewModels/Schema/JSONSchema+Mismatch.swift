extension JSONSchema {
    /// Whether a value has the shape.
    package func allows(_ value: JSONValue) -> Bool { mismatch(in: value) == nil }

    /// The path to the first part of a value that has another shape, the first by name; nil where all of it fits.
    package func mismatch(in value: JSONValue) -> [String]? {
        switch (self, value) {
        case (.anything, _), (.string, .string), (.number, .number), (.boolean, .boolean): nil
        case (.integer, .number(let number)): Int(exactly: number) == nil ? [] : nil
        case (.oneOf(let choices), .string(let text)): choices.contains(text) ? nil : []
        case (.array(let element), .array(let values)):
            Self.first(values.enumerated().map { (String($0), element, $1) })
        case (.dictionary(let element), .object(let members)):
            Self.first(members.sorted { $0.key < $1.key }.map { ($0.key, element, $0.value) })
        case (.object(let declared), .object(let members)):
            Self.mismatch(in: members, declared: declared)
        case (.nullable(let schema), _): value == .null ? nil : schema.mismatch(in: value)
        default: []
        }
    }

    private static func mismatch(in members: [String: JSONValue], declared: [Member]) -> [String]? {
        if let missing = declared.first(where: { $0.isRequired && members[$0.name] == nil }) { return [missing.name] }
        return first(declared.compactMap { member in members[member.name].map { (member.name, member.schema, $0) } })
    }

    private static func first(_ parts: [(name: String, schema: JSONSchema, value: JSONValue)]) -> [String]? {
        parts.lazy.compactMap { part in part.schema.mismatch(in: part.value).map { [part.name] + $0 } }.first
    }
}
