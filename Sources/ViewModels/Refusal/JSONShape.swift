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

    /// A member of an object, or an entry of a dictionary, by its name; nil where there can be none.
    func member(_ name: String, of node: JSONNode) -> JSONPart? {
        switch (schema, node) {
        case (.dictionary(let element, _), .object(let members)): JSONPart(name, within(element), members[name])
        case (.anything, .object(let members)): members[name].map { JSONPart(name, self, $0) }
        default: members(of: node).first { $0.name == name }
        }
    }

    /// What a structure reads one by one, as it is declared.
    func members(of node: JSONNode) -> [JSONPart] {
        switch (schema, node) {
        case (.object(let declared), .object(let members)):
            declared.map { JSONPart($0.name, within($0.schema), members[$0.name]) }
        case (.choice(let declared), .object(let members)):
            declared.filter { members[$0.name] != nil }.map { JSONPart($0.name, within($0.schema), members[$0.name]) }
        case (.tuple, .array): elements(of: node)
        default: []
        }
    }

    /// The elements of a list.
    func elements(of node: JSONNode) -> [JSONPart] {
        guard case .array(let elements) = node else { return [] }
        return switch schema {
        case .array(let element): elements.enumerated().map { JSONPart(String($0), within(element), $1) }
        case .tuple(let schemas) where schemas.count == elements.count:
            zip(schemas, elements).enumerated().map { JSONPart(String($0), within($1.0), $1.1) }
        case .anything: elements.enumerated().map { JSONPart(String($0), self, $1) }
        default: []
        }
    }
}
