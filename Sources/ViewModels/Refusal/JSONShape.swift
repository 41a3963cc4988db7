/// A shape with those that it may refer to.
struct JSONShape {
    /// What is neither a name, a reference nor null.
    private let schema: JSONSchema
    private let shapes: [String: JSONSchema]

    init(_ schema: JSONSchema, around shapes: [String: JSONSchema] = [:]) {
        switch schema {
        case .nullable(let inner): self = JSONShape(inner, around: shapes)
        case .named(let name, let inner): self = JSONShape(inner, around: shapes.merging([name: inner]) { $1 })
        case .reference(let name): self = JSONShape(shapes[name] ?? .anything, around: shapes)
        default: (self.schema, self.shapes) = (schema, shapes)
        }
    }

    private func within(_ schema: JSONSchema) -> JSONShape { JSONShape(schema, around: shapes) }

    /// A member of an object, or an entry of a dictionary, by its name; nil where there can be none.
    func member(_ name: String, of node: JSONNode) -> JSONPart? {
        switch (schema, node) {
        case (.dictionary(let element, _), .object(let members)):
            JSONPart(name: name, shape: within(element), node: members[name])
        case (.anything, .object(let members)): members[name].map { JSONPart(name: name, shape: self, node: $0) }
        default: members(of: node).first { $0.name == name }
        }
    }

    /// The members of an object, in the order in which they are declared; of a choice, those that are there.
    func members(of node: JSONNode) -> [JSONPart] {
        switch (schema, node) {
        case (.object(let declared), .object(let members)):
            declared.map { JSONPart(name: $0.name, shape: within($0.schema), node: members[$0.name]) }
        case (.choice(let declared), .object(let members)):
            declared.filter { members[$0.name] != nil }.map {
                JSONPart(name: $0.name, shape: within($0.schema), node: members[$0.name])
            }
        default: []
        }
    }

    /// The elements of a list.
    func elements(of node: JSONNode) -> [JSONPart] {
        guard case .array(let elements) = node else { return [] }
        let shapes: [JSONShape]
        switch schema {
        case .array(let element): shapes = Array(repeating: within(element), count: elements.count)
        case .tuple(let schemas) where schemas.count == elements.count: shapes = schemas.map(within)
        case .anything: shapes = Array(repeating: self, count: elements.count)
        default: return []
        }
        return zip(shapes, elements).enumerated().map { JSONPart(name: String($0), shape: $1.0, node: $1.1) }
    }
}
