/// A stored model, or an object inside it, as a migration sees it: JSON members by name.
public struct StoredObject {
    private(set) var members: [(name: String, value: JSONNode)]

    init(_ members: JSONNode.Members) {
        self.members = members.all
    }

    /// The names of the members.
    public var names: [String] { members.map(\.name) }

    /// Whether there is such a member, null or not.
    public func has(_ name: String) -> Bool { index(of: name) != nil }

    /// The value of a member.
    ///
    /// - Throws: `DecodingError` where it is missing or of another shape; no defaults stand in.
    public func get<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let key = JSONNodeKey(name)
        guard let index = index(of: name) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: ""))
        }
        return try JSONNodeDecoder(node: members[index].value, key: key).decode(type)
    }

    /// Sets a member, be it there or not.
    ///
    /// - Throws: `EncodingError`.
    public mutating func set(_ name: String, to value: some Encodable) throws {
        put(try JSONGrammar.read(JSON.encode(value)), as: name)
    }

    /// Gives a member another name; one that is not there is no error.
    ///
    /// What had the new name is replaced.
    public mutating func rename(_ name: String, to newName: String) {
        guard let index = index(of: name) else { return }
        let value = members[index].value
        remove(name)
        put(value, as: newName)
    }

    /// Removes a member; one that is not there is no error.
    public mutating func remove(_ name: String) { members.removeAll { $0.name == name } }

    /// Changes an object that is a member; where the member is missing or null, nothing happens.
    ///
    /// - Throws: `DecodingError` where it is something else; what `change` throws.
    public mutating func change(_ name: String, _ change: (inout StoredObject) throws -> Void) throws {
        guard let index = index(of: name) else { return }
        members[index].value = try Self.changed(members[index].value, at: [JSONNodeKey(name)], change)
    }

    /// Changes each object of a list, or of a dictionary's values; where the member is missing or null, nothing happens.
    ///
    /// - Throws: `DecodingError` where it, or one of them, is something else; what `change` throws.
    public mutating func changeEach(_ name: String, _ change: (inout StoredObject) throws -> Void) throws {
        guard let index = index(of: name) else { return }
        let path = [JSONNodeKey(name), JSONNodeKey.any]
        switch members[index].value {
        case .array(let elements):
            members[index].value = .array(try elements.map { try Self.changed($0, at: path, change) })
        case .object(let values):
            let changed = try StoredObject(values).members.map {
                ($0.name, try Self.changed($0.value, at: path, change))
            }
            members[index].value = .object(JSONNode.Members(changed))
        case .null: break
        default: throw Self.mismatch(at: [JSONNodeKey(name)])
        }
    }

    var node: JSONNode { .object(JSONNode.Members(members)) }

    private func index(of name: String) -> Int? { members.firstIndex { $0.name == name } }

    private mutating func put(_ value: JSONNode, as name: String) {
        if let index = index(of: name) { members[index].value = value } else { members.append((name, value)) }
    }

    private static func changed(
        _ node: JSONNode, at path: [JSONNodeKey], _ change: (inout StoredObject) throws -> Void
    ) throws -> JSONNode {
        switch node {
        case .null: return node
        case .object(let members):
            var object = StoredObject(members)
            try change(&object)
            return object.node
        default: throw mismatch(at: path)
        }
    }

    private static func mismatch(at path: [JSONNodeKey]) -> DecodingError {
        .typeMismatch([String: Any].self, .init(codingPath: path, debugDescription: ""))
    }
}
