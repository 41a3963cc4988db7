import Foundation

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

    /// A value with the first elements of its lists, and entries of its dictionaries, alone.
    func shortened(_ node: JSONNode) -> JSONNode {
        switch (schema, node) {
        case (.array(let element), .array(let elements)):
            .array(elements.prefix(Self.most).map(within(element).shortened))
        case (.dictionary(let element, _), .object(let members)):
            .object(.init(members.all.prefix(Self.most).map { ($0.name, within(element).shortened($0.value)) }))
        case (.object, .object), (.choice, .object):
            self.members(of: node).reduce(node) { node, part in
                part.node.map { node.with(part.name, part.shape.shortened($0)) } ?? node
            }
        case (.tuple, .array): .array(elements(of: node).map { $0.shape.shortened($0.node ?? .null) })
        default: node
        }
    }
    private static let most = 2

    /// Ordinary values, with no more in them than there has to be.
    var plain: [JSONNode] { schema.plainTexts(around: shapes).compactMap { try? JSONGrammar.read(Array($0.utf8)) } }

    /// Values that differ from one by little, so that what a type checks may hold still; made as they are asked for.
    func near(_ node: JSONNode) -> AnySequence<JSONNode> {
        func number(_ text: some CustomStringConvertible) -> JSONNode {
            .number(JSONNumber(text: Array("\(text)".utf8)[...]))
        }
        // One more of a large number may be the same.
        func others(_ near: [JSONNode]) -> AnySequence<JSONNode> { AnySequence(near.filter { $0.text != node.text }) }
        switch (schema, node) {
        case (.string, .string(let text)), (.formatted, .string(let text)):
            return others(text.near.map(JSONNode.string))
        case (.integer(let range), .number(let text)):
            let near = text.whole(as: Int128.self).map { $0 > 1 ? [$0 - 1, $0 &+ 1] : [$0 + 1, $0 &- 1] } ?? []
            return others(near.filter(range.contains).map(number))
        case (.number, .number(let text)), (.date, .number(let text)):
            return others(text.real(as: Double.self).map { [number($0 + 1), number($0 / 2)] } ?? [])
        case (.array, .array(let elements)):
            let changed = near(node, self.elements(of: node).prefix(1))
            return elements.isEmpty
                ? changed : AnySequence([AnySequence([.array(elements.dropLast())]), changed].joined())
        case (.dictionary, .object(let members)):
            return near(node, members.all.prefix(1).compactMap { member($0.name, of: node) }[...])
        default: return near(node, members(of: node)[...])
        }
    }

    private func near(_ node: JSONNode, _ parts: ArraySlice<JSONPart>) -> AnySequence<JSONNode> {
        AnySequence(parts.lazy.compactMap { part in part.others.first { _ in true }.map { node.with(part.name, $0) } })
    }
}

extension String {
    /// With another letter at the end, another digit where the last one is, as in a date, and one letter more.
    fileprivate var near: [String] {
        let places = [indices.last, lastIndex(where: \.isNumber)].compactMap(\.self)
        let changed = places.flatMap { place in
            let others = self[place].isNumber ? ["0", "1"] : self[place].isUppercase ? ["A", "B"] : ["a", "b"]
            return others.map { replacingCharacters(in: place...place, with: $0) }
        }
        return changed + [self + "a"]
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

    /// A few other values, those first that are near; made as they are asked for.
    var others: some Sequence<JSONNode> {
        let near = node.map(shape.near) ?? AnySequence([])
        let plain = AnySequence {
            let text = text
            return shape.plain.filter { $0.text != text }.makeIterator()
        }
        return [near, plain].lazy.joined().prefix(10)
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
