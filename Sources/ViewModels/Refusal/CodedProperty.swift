/// A stored property of a structure, and where in the structure's JSON it is.
struct CodedProperty<Value: Codable, Member: Codable> {
    private let member: KeyPath<Value, Member>
    private let value: Value
    private let node: JSONNode
    private let shape: JSONShape
    private let asked: AskedKeys

    init(_ member: KeyPath<Value, Member>, of value: Value, in node: JSONNode, _ shape: JSONShape) {
        (self.member, self.value, self.node, self.shape) = (member, value, node, shape)
        asked = AskedKeys(of: Value.self, in: node)
    }

    /// The member that the coding key with the property's name says; of several, as by the keys of an older build, the one that is written; nil
    /// for none.
    var part: JSONPart? {
        guard let name else { return nil }
        let keys = keys
        let named = shape.members(of: node).filter { part in keys.contains { $0.identifier(for: part.name) == name } }
        let written = named.filter { $0.node != nil }
        return named.count == 1 ? named[0] : written.count == 1 ? written[0] : nil
    }

    /// The structure's own coding keys, which are declared in it or around it; not those of one that stands among its members.
    private var keys: [any CodingKey.Type] {
        let place = declaredNames(of: Value.self)
        let scoped = asked.keys.map { (keys: $0, scope: declaredNames(of: $0).dropLast()) }
            .filter { place.starts(with: $0.scope) }
        let inmost = scoped.map(\.scope.count).max()
        return scoped.filter { $0.scope.count == inmost }.map(\.keys)
    }

    /// Whether the property is all that is there, or has its members among those of the object.
    var isOfAll: Bool {
        guard namesOfType.count == 1, let alone = try? JSONNodeDecoder(node: node).decode(Member.self),
            let text = try? JSON.encode(alone), text == (try? JSON.encode(value[keyPath: member]))
        else { return false }
        return asked.wholes.contains { $0 == Member.self } || asked.covers(AskedKeys(of: Member.self, in: node))
    }

    /// The property's, if it can be told: a key path says the first one at its place, where one that takes no room may be before it.
    private var name: String? {
        let said = member.debugDescription.split(separator: ".").last.map(String.init)
        return namesOfType.count == 1
            ? namesOfType[0] : namesOfType.first { $0 == said && MemoryLayout<Member>.size > 0 }
    }

    /// The names of the properties that are of its type; none where the structure says itself what it has.
    private var namesOfType: [String] {
        guard !(value is any CustomReflectable) else { return [] }
        return Mirror(reflecting: value).children.filter { type(of: $0.value) == Member.self }.compactMap(\.label)
    }
}

/// The names of what a type is declared in, and its own; without what has no name, as a private scope.
private func declaredNames(of type: any Any.Type) -> [Substring] {
    String(reflecting: type).split(separator: ".").filter { !$0.hasPrefix("(unknown context") }
}

extension CodingKey {
    /// What the key of a member is called in Swift: the name of its case, or the member's where the keys are no enumeration.
    fileprivate static func identifier(for name: String) -> String? {
        Self(stringValue: name).map { EnumCases.name(of: $0) ?? name }
    }
}
