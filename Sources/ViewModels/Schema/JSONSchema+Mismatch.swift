extension JSONSchema {
    /// Where a value has another shape, and what should be there.
    package struct Mismatch: Hashable, Sendable {
        /// What is wrong there, in a sentence that follows the name of the place; never holds what is there.
        package let complaint: String
        /// From there outwards: at its end a name is added without copying the others.
        private var trail: [String] = []

        /// The names of the members and the places in lists that lead there.
        package var path: [String] { trail.reversed() }

        fileprivate init(_ complaint: String) { self.complaint = complaint }

        fileprivate consuming func within(_ name: String) -> Mismatch {
            trail.append(name)
            return self
        }
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
        case (.oneOf(let choices), .string(let text))
        where choices.contains { $0.utf8.elementsEqual(text.utf8) }: nil
        case (.array(let element), .array(let values)): Self.mismatch(in: values, each: element)
        case (.dictionary(let element), .object(let members)): Self.mismatch(in: members, each: element)
        case (.object(let declared), .object(let members)), (.open(let declared), .object(let members)):
            Self.mismatch(in: members, declared: declared)
        default: Mismatch("must be \(inWords)")
        }
    }

    private static func mismatch(in members: JSONNode.Members, declared: [Member]) -> Mismatch? {
        for member in declared {
            if let value = members[member.name] {
                if let mismatch = member.schema.mismatch(in: value) { return mismatch.within(member.name) }
            } else if member.isRequired {
                return Mismatch("is missing; it must be \(member.schema.inWords)").within(member.name)
            }
        }
        return nil
    }

    private static func mismatch(in members: JSONNode.Members, each schema: JSONSchema) -> Mismatch? {
        for name in members.names {
            if let mismatch = members[name].flatMap(schema.mismatch) { return mismatch.within(name) }
        }
        return nil
    }

    private static func mismatch(in values: [JSONNode], each schema: JSONSchema) -> Mismatch? {
        for (place, value) in values.enumerated() {
            if let mismatch = schema.mismatch(in: value) { return mismatch.within(String(place)) }
        }
        return nil
    }
}
