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
