// Shapes of types that contain themselves: two types may have one name, as private ones of two files have.

extension JSONSchema {
    /// The shapes in it that have names, outermost first, each once and whole: with itself where it refers to itself.
    package var definitions: [(name: String, schema: JSONSchema)] {
        var found: [(name: String, schema: JSONSchema)] = []
        func look(at schema: JSONSchema) {
            if case .named(let name, _) = schema {
                guard !found.contains(where: { $0.name == name && $0.schema.isSame(as: schema) }) else { return }
                found.append((name, schema))
                look(at: schema.unfolded)
            } else {
                schema.parts.forEach(look)
            }
        }
        look(at: self)
        return found
    }

    /// What a shape that has a name says, with the shape itself where that refers to it; any other shape as it is.
    package var unfolded: JSONSchema {
        guard case .named(let name, let inner) = self else { return self }
        return inner.replacing(name, by: self)
    }

    /// Whether it is the same type's shape as another, wherever the two begin to go round.
    package func isSame(as other: JSONSchema) -> Bool {
        var assumed: Set<[JSONSchema]> = []
        func same(_ left: JSONSchema, _ right: JSONSchema) -> Bool {
            if left == right { return true }
            switch (left, right) {
            case (.named(let name, _), .named(let other, _)) where name != other: return false
            case (.named, _), (_, .named):
                // What was asked before, on the way here, is so unless a difference is found elsewhere.
                guard assumed.insert([left, right]).inserted else { return true }
                return same(left.unfolded, right.unfolded)
            default:
                let (lefts, rights) = (left.parts, right.parts)
                return !lefts.isEmpty && lefts.count == rights.count
                    && left.withoutParts == right.withoutParts && zip(lefts, rights).allSatisfy(same)
            }
        }
        return same(self, other)
    }

    /// The shapes that it consists of.
    var parts: [JSONSchema] {
        switch self {
        case .array(let inner), .nullable(let inner), .dictionary(let inner, _), .named(_, let inner): [inner]
        case .tuple(let schemas): schemas
        case .pairs(let key, let value): [key, value]
        case .object(let members), .choice(let members): members.map(\.schema)
        case .string, .formatted, .oneOf, .oneOfIntegers, .integer, .number, .date, .boolean, .reference, .anything: []
        }
    }

    /// Whether it has no more parts, and parts of parts, than are left, which it takes away.
    func hasParts(upTo left: inout Int) -> Bool {
        left -= 1
        for part in parts {
            guard left > 0, part.hasParts(upTo: &left) else { return false }
        }
        return true
    }

    private var withoutParts: JSONSchema { mapParts { _ in .anything } }

    private func replacing(_ name: String, by schema: JSONSchema) -> JSONSchema {
        switch self {
        case .reference(name): schema
        case .named(name, _): self
        default: mapParts { $0.replacing(name, by: schema) }
        }
    }

    /// The same of other shapes.
    func mapParts(_ change: (JSONSchema) -> JSONSchema) -> JSONSchema {
        func changed(_ members: [Member]) -> [Member] {
            members.map { Member($0.name, change($0.schema), isRequired: $0.isRequired, summary: $0.summary) }
        }
        return switch self {
        case .array(let inner): .array(change(inner))
        case .nullable(let inner): .nullable(change(inner))
        case .dictionary(let inner, let names): .dictionary(change(inner), names: names)
        case .named(let name, let inner): .named(name, change(inner))
        case .tuple(let schemas): .tuple(schemas.map(change))
        case .pairs(let key, let value): .pairs(change(key), change(value))
        case .object(let members): .object(changed(members))
        case .choice(let members): .choice(changed(members))
        case .string, .formatted, .oneOf, .oneOfIntegers, .integer, .number, .date, .boolean, .reference, .anything:
            self
        }
    }
}
