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

    /// The first part of JSON text that has another shape, as the type declares its members; nil where all of it fits.
    ///
    /// - Throws: what tells that it is no JSON text.
    package func mismatch(inText text: [UInt8]) throws -> Mismatch? { mismatch(in: try JSONGrammar.read(text)) }

    func mismatch(in node: JSONNode) -> Mismatch? {
        switch (self, node) {
        case (.anything, _), (.string, .string), (.boolean, .boolean), (.nullable, .null): nil
        case (.nullable(let schema), _):
            schema.mismatch(in: node).map { $0.path.isEmpty ? Mismatch("\($0.complaint) or null") : $0 }
        case (_, .null): Mismatch("must not be null; it must be \(inWords)")
        case (.number(let largest), .number(let number)):
            (number.real(as: Double.self)?.magnitude ?? .infinity) <= largest
                ? nil : Mismatch("must be a number from \(-largest) to \(largest)")
        case (.integer(let range), .number(let number))
        where number.whole(as: Int128.self).map(range.contains) == true: nil
        case (.oneOf(let choices), .string(let text)) where choices.contains(text): nil
        case (.array(let element), .array(let values)):
            values.enumerated().lazy.compactMap { element.mismatch(in: $1)?.within(String($0)) }.first
        case (.dictionary(let element), .object(let members)):
            members.names.lazy.compactMap { name in
                members[name].flatMap { element.mismatch(in: $0)?.within(name) }
            }.first
        case (.object(let declared), .object(let members)): Self.mismatch(in: members, declared: declared)
        default: Mismatch("must be \(inWords)")
        }
    }

    private static func mismatch(in members: JSONNode.Members, declared: [Member]) -> Mismatch? {
        for member in declared {
            if let value = members[member.name] {
                if let mismatch = member.schema.mismatch(in: value) { return mismatch.within(member.name) }
            } else if member.isRequired {
                return Mismatch("is missing; it must be \(member.schema.inWords)", at: [member.name])
            }
        }
        return nil
    }
}
