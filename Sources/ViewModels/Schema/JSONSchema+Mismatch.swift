import Foundation

extension JSONSchema {
    /// Where a value has another shape, and what should be there.
    package struct Mismatch: Error, Hashable {
        /// What is wrong there, in a sentence that follows the name of the place; never holds what is there.
        package let complaint: String
        /// From there outwards: at its end a name is added without copying the others.
        private var trail: [String] = []

        /// The names of the members and the places in lists that lead there.
        package var path: [String] { trail.reversed() }

        fileprivate init(_ complaint: String) { self.complaint = complaint }

        /// Of a member that its object does not have.
        static func unknown(known names: [String]) -> String {
            let names = names.map { "\"\($0)\"" }.joined(separator: ", ")
            return "is unknown; \(names.isEmpty ? "its object has no members" : "known members: \(names)")"
        }

        fileprivate consuming func within(_ name: String) -> Mismatch {
            trail.append(name)
            return self
        }
    }

    /// The first part of JSON text that has another shape, as the type declares its members; nil where all of it fits.
    ///
    /// - Parameter refusesUnknown: whether a member that the shape has not is one, as in a body.
    /// - Throws: what tells that it is no JSON text.
    package func mismatch(inText text: [UInt8], refusesUnknown: Bool = false) throws -> Mismatch? {
        mismatch(in: try JSONGrammar.read(text), refusesUnknown: refusesUnknown)
    }

    /// The same of a text that was read.
    ///
    /// - Parameters:
    ///   - path: where there is one; what is elsewhere is not looked at.
    ///   - endsThere: whether what is within that place is not looked at either.
    func mismatch(
        in node: JSONNode, refusesUnknown: Bool = false, at path: [String] = [], endsThere: Bool = false
    ) -> Mismatch? {
        let around = Surroundings(path: path[...], endsThere: endsThere, refusesUnknown: refusesUnknown)
        return mismatch(in: node, around: around)
    }

    /// The same of the names of an object's members, as the shape of such a name.
    func mismatch(inNamesOf node: JSONNode) -> Mismatch? {
        guard case .object(let members) = node else { return nil }
        return Self.mismatch(in: members, each: .anything, self, Surroundings())
    }

    /// What keeps an example from being of the shape, as one that a type says of itself may be untrue, in a clause that follows
    /// it; nil for nothing.
    package func exampleFault(_ text: [UInt8]) -> String? {
        guard let mismatch = try? mismatch(inText: text, refusesUnknown: true) else { return nil }
        return "has not the shape of its type, at \(JSON.pointer(to: mismatch.path)): it \(mismatch.complaint)"
    }

    /// What is known of what is around a value.
    fileprivate struct Surroundings {
        /// The shapes that have names.
        var shapes: [String: JSONSchema] = [:]
        /// The way from here to what is looked at.
        var path: ArraySlice<String> = []
        var endsThere = false
        var refusesUnknown = false

        func with(_ shape: JSONSchema, called name: String) -> Surroundings {
            var surroundings = self
            surroundings.shapes[name] = shape
            return surroundings
        }

        /// The same of a member or an element; nil for one that is not looked at.
        func within(_ name: String) -> Surroundings? {
            guard let next = path.first else { return endsThere ? nil : self }
            guard next == name else { return nil }
            var surroundings = self
            surroundings.path = path.dropFirst()
            return surroundings
        }
    }

    private func mismatch(in node: JSONNode, around: Surroundings) -> Mismatch? {
        switch (self, node) {
        case (.anything, _), (.string, .string), (.boolean, .boolean), (.nullable, .null): nil
        case (.named(let name, let schema), _):
            schema.mismatch(in: node, around: around.with(schema, called: name))
        case (.reference(let name), _): around.shapes[name]?.mismatch(in: node, around: around)
        case (.nullable(let schema), _):
            schema.mismatch(in: node, around: around).map {
                $0.path.isEmpty ? Mismatch("\($0.complaint) or null") : $0
            }
        case (_, .null): Mismatch("must not be null; it must be \(inWords)")
        case (.formatted(let format), .string(let text)) where format.allows(text): nil
        case (.number(let largest), .number(let number)):
            (number.real(as: Double.self)?.magnitude ?? .infinity) <= largest
                ? nil : Mismatch("must be a number from \(-largest) to \(largest)")
        case (.date, .number(let number)) where number.real(as: Double.self) != nil: nil
        case (.integer(let range), .number(let number))
        where number.whole(as: Int128.self).map(range.contains) == true: nil
        case (.oneOf(let choices), .string(let text))
        where choices.contains { $0.utf8.elementsEqual(text.utf8) }: nil
        case (.oneOfIntegers(let choices), .number(let number))
        where number.whole(as: Int128.self).map(choices.contains) == true: nil
        case (.array(let element), .array(let values)):
            Self.mismatch(in: values, of: Array(repeating: element, count: values.count), around)
        case (.tuple(let elements), .array(let values)) where elements.count == values.count:
            Self.mismatch(in: values, of: elements, around)
        case (.pairs(let key, let value), .array(let values)) where values.count.isMultiple(of: 2):
            Self.mismatch(in: values, of: values.indices.map { $0.isMultiple(of: 2) ? key : value }, around)
        case (.dictionary(let element, let names), .object(let members)):
            Self.mismatch(in: members, each: element, names, around)
        case (.object(let declared), .object(let members)): Self.mismatch(in: members, declared: declared, around)
        case (.choice(let choices), .object(let members))
        where choices.count { members[$0.name] != nil } == 1:
            Self.mismatch(in: members, declared: choices.filter { members[$0.name] != nil }, around)
        default: Mismatch("must be \(inWords)")
        }
    }

    private static func mismatch(
        in members: JSONNode.Members, declared: [Member], _ around: Surroundings
    ) -> Mismatch? {
        for member in declared {
            guard let around = around.within(member.name) else { continue }
            if let value = members[member.name] {
                if let mismatch = member.schema.mismatch(in: value, around: around) {
                    return mismatch.within(member.name)
                }
            } else if member.isRequired {
                let schema = if case .reference(let name) = member.schema { around.shapes[name] } else { member.schema }
                return Mismatch("is missing; it must be \((schema ?? .anything).inWords)").within(member.name)
            }
        }
        guard around.refusesUnknown else { return nil }
        let unknown = members.all.first { member in !declared.contains { $0.name == member.0 } }
        return unknown.map { Mismatch(Mismatch.unknown(known: declared.map(\.name))).within($0.0) }
    }

    private static func mismatch(
        in members: JSONNode.Members, each schema: JSONSchema, _ names: JSONSchema, _ around: Surroundings
    ) -> Mismatch? {
        for (name, value) in members.all {
            guard let around = around.within(name) else { continue }
            if let mismatch = schema.mismatch(in: value, around: around) { return mismatch.within(name) }
            if !names.isName(name) { return Mismatch("has a name that must be \(names.inWords)").within(name) }
        }
        return nil
    }

    /// Whether it is the shape of a member's name.
    private func isName(_ name: String) -> Bool {
        guard case .integer(let range) = self else { return mismatch(in: .string(name)) == nil }
        return Int128(name).map { range.contains($0) && String($0) == name } == true
    }

    private static func mismatch(
        in values: [JSONNode], of schemas: [JSONSchema], _ around: Surroundings
    ) -> Mismatch? {
        for (place, value) in values.enumerated() {
            guard let around = around.within(String(place)) else { continue }
            if let mismatch = schemas[place].mismatch(in: value, around: around) {
                return mismatch.within(String(place))
            }
        }
        return nil
    }
}

extension JSONSchema.Format {
    func allows(_ text: String) -> Bool {
        switch self {
        case .uuid: UUID(uuidString: text) != nil
        case .url: URL(string: text) != nil
        case .base64: Data(base64Encoded: text) != nil
        }
    }
}
