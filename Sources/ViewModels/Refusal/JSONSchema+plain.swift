extension JSONSchema {
    /// Ordinary values of it, as JSON texts, with no more in them than there has to be.
    ///
    /// - Parameter shapes: those that it may refer to, by their names.
    func plainTexts(around shapes: [String: JSONSchema]) -> [String] {
        var plain = PlainTexts()
        return plain.texts(of: self, around: shapes)
    }
}

/// Ordinary values of shapes, as JSON texts, one of each that has a name: a shape that refers to others is gone through once.
private struct PlainTexts {
    private var known: [String: String] = [:]

    /// A shape may refer to itself, and to one that refers to it: each round finds those that need no others than were found.
    mutating func texts(of schema: JSONSchema, around shapes: [String: JSONSchema]) -> [String] {
        var texts: [String]
        var found: Int
        repeat {
            found = known.count
            for (name, shape) in shapes.sorted(by: { $0.key < $1.key }) { _ = text(of: .named(name, shape)) }
            texts = self.texts(of: schema)
        } while known.count > found
        return texts
    }

    private mutating func texts(of schema: JSONSchema) -> [String] {
        switch schema {
        case .array(let element): return ["[]"] + (text(of: element).map { ["[\($0)]"] } ?? [])
        case .dictionary(let element, let names):
            guard let name = names.candidate(0)?.quoted, let text = text(of: element) else { return ["{}"] }
            return ["{}", "{\(name):\(text)}"]
        case .choice(let members):
            return members.compactMap { member in
                text(of: member.schema).map { "{\(JSON.text(member.name)):\($0)}" }
            }
        case .nullable, .named, .reference, .pairs, .object, .tuple: return text(of: schema).map { [$0] } ?? []
        default: return (0..<schema.candidateCount).compactMap(schema.candidate)
        }
    }

    private mutating func text(of schema: JSONSchema) -> String? {
        switch schema {
        case .nullable(let schema): return text(of: schema) ?? "null"
        case .named(let name, let schema):
            if known[name] == nil { known[name] = text(of: schema) }
            return known[name]
        case .reference(let name): return known[name]
        case .choice: return texts(of: schema).min { $0.utf8.count < $1.utf8.count }
        case .array, .pairs: return "[]"
        case .dictionary: return "{}"
        case .object(let members):
            var texts: [String] = []
            for member in members where member.isRequired {
                guard let text = text(of: member.schema) else { return nil }
                texts.append("\(JSON.text(member.name)):\(text)")
            }
            return "{\(texts.joined(separator: ","))}"
        case .tuple(let schemas):
            var texts: [String] = []
            for schema in schemas {
                guard let text = text(of: schema) else { return nil }
                texts.append(text)
            }
            return "[\(texts.joined(separator: ","))]"
        default: return texts(of: schema).first
        }
    }
}
