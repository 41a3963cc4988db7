extension JSONSchema {
    /// Where a value has another shape, and what should be there.
    package struct Mismatch: Hashable, Sendable {
        /// The names of the members and the places in lists that lead there.
        package let path: [String]
        /// What is wrong there, in a sentence that follows the name of the place; never holds what is there.
        package let complaint: String

        fileprivate init(_ complaint: String, at path: [String] = []) {
            self.path = path
            self.complaint = complaint
        }

        fileprivate func within(_ name: String) -> Mismatch { Mismatch(complaint, at: [name] + path) }
    }

    /// Whether a value has the shape.
    package func allows(_ value: JSONValue) -> Bool { mismatch(in: value) == nil }

    /// The first part of a value that has another shape, as the type declares its members; nil where all of it fits.
    package func mismatch(in value: JSONValue) -> Mismatch? {
        switch (self, value) {
        case (.anything, _), (.string, .string), (.boolean, .boolean), (.number, .whole): nil
        case (.nullable, .null): nil
        case (.nullable(let schema), _):
            schema.mismatch(in: value).map { $0.path.isEmpty ? Mismatch("\($0.complaint) or null") : $0 }
        case (_, .null): Mismatch("must not be null; it must be \(inWords)")
        case (.number(let largest), .number(let number)):
            number.magnitude <= largest ? nil : Mismatch("must be a number from \(-largest) to \(largest)")
        case (.integer(let range), .number(let number)) where Int128(exactly: number).map(range.contains) == true: nil
        case (.integer(let range), .whole(let number)) where range.contains(number): nil
        case (.oneOf(let choices), .string(let text)) where choices.contains(text): nil
        case (.array(let element), .array(let values)):
            Self.first(values.enumerated().map { (String($0), element, $1) })
        case (.dictionary(let element), .object(let members)):
            Self.first(members.sorted { $0.key < $1.key }.map { ($0.key, element, $0.value) })
        case (.object(let declared), .object(let members)): Self.mismatch(in: members, declared: declared)
        default: Mismatch("must be \(inWords)")
        }
    }

    private static func mismatch(in members: [String: JSONValue], declared: [Member]) -> Mismatch? {
        for member in declared {
            if let value = members[member.name] {
                if let mismatch = member.schema.mismatch(in: value) { return mismatch.within(member.name) }
            } else if member.isRequired {
                return Mismatch("is missing; it must be \(member.schema.inWords)", at: [member.name])
            }
        }
        return nil
    }

    private static func first(_ parts: [(name: String, schema: JSONSchema, value: JSONValue)]) -> Mismatch? {
        for part in parts {
            if let mismatch = part.schema.mismatch(in: part.value) { return mismatch.within(part.name) }
        }
        return nil
    }
}
