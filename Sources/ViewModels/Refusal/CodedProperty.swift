/// A stored property of a structure, and where in the structure's JSON it is.
struct CodedProperty<Value: Codable, Member: Codable> {
    private let member: KeyPath<Value, Member>
    private let value: Value
    private let properties: [Mirror.Child]
    private let node: JSONNode
    private let shape: JSONShape
    private let asked: AskedKeys

    init(
        _ member: KeyPath<Value, Member>, of value: Value, in node: JSONNode, _ shape: JSONShape, at way: [String]
    ) {
        (self.member, self.value, self.node, self.shape) = (member, value, node, shape)
        // What a structure says of itself may be anything.
        let mirror = value is any CustomReflectable ? nil : Mirror(reflecting: value)
        properties = mirror.flatMap { $0.displayStyle == .struct ? Array($0.children) : nil } ?? []
        asked = AskedKeys(of: Value.self, in: node, at: way)
    }

    /// The member that the coding key with the property's name says; nil for none.
    var part: JSONPart? {
        guard let name, let keys = asked.keys, let key = keys.text(ofCase: name) else { return nil }
        return shape.members(of: node).first { $0.name == key }
    }

    /// Whether the property is all that is there.
    var isWhole: Bool {
        properties.count == 1 && asked.values.contains { $0 == Member.self }
            && node.text == (try? JSON.encode(value[keyPath: member]))
    }

    /// The property's name; nil where it cannot be told: of those at one place, of which all but one take no room, a key path says the first.
    private var name: String? {
        let root = "\\\(Value.self)."
        guard member.debugDescription.hasPrefix(root) else { return nil }
        let said = member.debugDescription.dropFirst(root.count)
        let names = properties.filter { isMember($0.value) }.compactMap(\.label)
        if MemoryLayout<Member>.size > 0, names.contains(String(said)) { return String(said) }
        return names.count == 1 && !said.contains(".") ? names[0] : nil
    }

    /// A class's value may be of a subclass.
    private func isMember(_ value: Any) -> Bool {
        Member.self is AnyObject.Type ? value is Member : type(of: value) == Member.self
    }
}

extension CodingKey {
    /// The text of the case that is called so; nil where there is none, or the keys are no enumeration whose cases carry nothing.
    fileprivate static func text(ofCase name: String) -> String? {
        EnumCases.all(of: Self.self)?.first { EnumCases.name(of: $0) == name }?.stringValue
    }
}
