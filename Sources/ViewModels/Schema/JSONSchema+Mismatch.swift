extension JSONSchema {
    /// Whether a value has the shape.
    package func allows(_ value: JSONValue) -> Bool { mismatch(in: value) == nil }

    /// The path to the first part of a value that has another shape, the first by name; nil where all of it fits.
    ///
    /// - Parameter isInteger: what counts as a whole number. Unless told otherwise, whatever has no fraction: a
    ///   ``JSONValue`` holds the largest integers rounded, so whether one fits its type cannot be told from it.
    package func mismatch(
        in value: JSONValue, isInteger: (Double) -> Bool = { $0.isFinite && $0 == $0.rounded() }
    ) -> [String]? {
        switch (self, value) {
        case (.anything, _), (.string, .string), (.number, .number), (.boolean, .boolean): nil
        case (.integer, .number(let number)): isInteger(number) ? nil : []
        case (.oneOf(let choices), .string(let text)): choices.contains(text) ? nil : []
        case (.array(let element), .array(let values)):
            Self.first(values.enumerated().map { (String($0), element, $1) }, isInteger)
        case (.dictionary(let element), .object(let members)):
            Self.first(members.sorted { $0.key < $1.key }.map { ($0.key, element, $0.value) }, isInteger)
        case (.object(let declared), .object(let members)):
            Self.mismatch(in: members, declared: declared, isInteger)
        case (.nullable(let schema), _): value == .null ? nil : schema.mismatch(in: value, isInteger: isInteger)
        default: []
        }
    }

    private static func mismatch(
        in members: [String: JSONValue], declared: [Member], _ isInteger: (Double) -> Bool
    ) -> [String]? {
        if let missing = declared.first(where: { $0.isRequired && members[$0.name] == nil }) { return [missing.name] }
        let parts = declared.compactMap { member in members[member.name].map { (member.name, member.schema, $0) } }
        return first(parts, isInteger)
    }

    private static func first(
        _ parts: [(name: String, schema: JSONSchema, value: JSONValue)], _ isInteger: (Double) -> Bool
    ) -> [String]? {
        for part in parts {
            if let path = part.schema.mismatch(in: part.value, isInteger: isInteger) { return [part.name] + path }
        }
        return nil
    }
}
