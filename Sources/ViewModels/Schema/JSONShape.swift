/// A shape with those that it may refer to.
struct JSONShape {
    /// What is neither a name, a reference nor null.
    let schema: JSONSchema
    private let shapes: [String: JSONSchema]

    init(_ schema: JSONSchema, around shapes: [String: JSONSchema] = [:]) {
        switch schema {
        case .nullable(let inner): self = JSONShape(inner, around: shapes)
        case .named(let name, let inner): self = JSONShape(inner, around: shapes.merging([name: inner]) { $1 })
        case .reference(let name): self = JSONShape(shapes[name] ?? .anything, around: shapes)
        default: (self.schema, self.shapes) = (schema, shapes)
        }
    }

    /// A shape within it.
    func within(_ schema: JSONSchema) -> JSONShape { JSONShape(schema, around: shapes) }

    /// The members of an object as they are declared, or the elements of a list.
    func parts(of node: JSONNode) -> [JSONPart] {
        func part(_ name: String, _ schema: JSONSchema, _ node: JSONNode?) -> JSONPart {
            JSONPart(name, within(schema), node)
        }
        return switch (schema, node) {
        case (.object(let declared), .object(let members)):
            declared.map { part($0.name, $0.schema, members[$0.name]) }
        case (.choice(let declared), .object(let members)):
            declared.filter { members[$0.name] != nil }.map { part($0.name, $0.schema, members[$0.name]) }
        case (.dictionary(let schema, _), .object(let members)): members.all.map { part($0.name, schema, $0.value) }
        case (.array(let schema), .array(let elements)):
            elements.enumerated().map { part(String($0), schema, $1) }
        case (.tuple(let schemas), .array(let elements)) where schemas.count == elements.count:
            zip(schemas, elements).enumerated().map { part(String($0), $1.0, $1.1) }
        default: []
        }
    }

    /// Ordinary values, with no more in them than there has to be.
    var plain: [JSONNode] { schema.plainTexts(around: shapes).compactMap { try? JSONGrammar.read(Array($0.utf8)) } }

    /// Values that differ from one by little, so that what a type checks may hold still.
    func near(_ node: JSONNode) -> [JSONNode] {
        let number = String(decoding: node.text, as: UTF8.self)
        switch (schema, node) {
        case (.string, .string(let text)), (.formatted(.url), .string(let text)): return [.string(text + "a")]
        case (.formatted(.uuid), .string(let text)):
            return [.string(text.dropLast() + (text.last == "0" ? "1" : "0"))]
        case (.integer(let range), _):
            guard let number = Int128(number) else { return [] }
            let near = number > 1 ? [number - 1, number + 1] : [number + 1, number - 1]
            return near.filter(range.contains).map { .number(JSONNumber(text: Array("\($0)".utf8)[...])) }
        case (.number, _), (.date, _):
            guard let number = Double(number) else { return [] }
            return [.number(JSONNumber(text: Array("\(number * 1.001 + 0.001)".utf8)[...]))]
        case (.array, .array(let elements)):
            return elements.isEmpty ? [] : [.array(elements.dropLast())] + near(node, parts(of: node).prefix(1))
        default: return near(node, parts(of: node)[...])
        }
    }

    private func near(_ node: JSONNode, _ parts: ArraySlice<JSONPart>) -> [JSONNode] {
        parts.compactMap { part in part.others.first.map { node.with(part.name, $0) } }
    }
}

/// A member of an object, or an element of a list.
struct JSONPart {
    let name: String
    let shape: JSONShape
    /// Its value; nil where it is missing or null.
    let node: JSONNode?

    init(_ name: String, _ shape: JSONShape, _ node: JSONNode?) {
        (self.name, self.shape) = (name, shape)
        if case .null = node { self.node = nil } else { self.node = node }
    }

    /// Its value as JSON text.
    var text: [UInt8] { (node ?? .null).text }

    /// A few other values, those first that are near.
    var others: [JSONNode] {
        let text = text
        return Array(((node.map(shape.near) ?? []) + shape.plain).lazy.filter { $0.text != text }.prefix(8))
    }
}

extension JSONNode {
    /// The value with another member or element.
    func with(_ name: String, _ node: JSONNode) -> JSONNode {
        switch self {
        case .object(let members):
            return .object(Members(members.all.filter { MemberName($0.name) != MemberName(name) } + [(name, node)]))
        case .array(var elements):
            if let place = Int(name), elements.indices.contains(place) { elements[place] = node }
            return .array(elements)
        default: return self
        }
    }
}
