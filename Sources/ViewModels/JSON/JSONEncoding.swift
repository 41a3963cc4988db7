/// Converts Swift values to JSON text and back, by the same rules for bodies, outputs and stored models.
@usableFromInline
package enum JSON {
    /// Encodes a value as compact JSON text with sorted members, so that equal values have equal text.
    ///
    /// - Throws: ``DeclarationFault``, for example for a number that is not finite.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        var text: [UInt8] = []
        try appendAny(value, to: &text)
        return text
    }

    /// Decodes a value from a JSON text.
    ///
    /// - Throws: ``InputFault``.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        try JSONValueDecoder(JSONValue(parsing: text)).decode(type)
    }

    @inlinable
    static func append<Value: Encodable>(_ value: Value, to text: inout [UInt8]) throws {
        if let scalar = scalar(value) { scalar.append(to: &text) } else { try appendAny(value, to: &text) }
    }

    // A compiler that knows the type keeps one of these lines. Other types need a slow cast to a protocol.
    @inlinable
    static func scalar<Value>(_ value: Value) -> JSONValue? {
        if Value.self == Int.self, let value = value as? Int { return .number(String(value)) }
        if Value.self == String.self, let value = value as? String { return .string(value) }
        if Value.self == Bool.self, let value = value as? Bool { return .boolean(value) }
        if Value.self == Double.self, let value = value as? Double { return number(value) }
        return nil
    }

    @usableFromInline
    static func number(_ value: Double) -> JSONValue? { value.json }

    @usableFromInline
    static func appendAny<Value: Encodable>(_ value: Value, to text: inout [UInt8]) throws {
        let node = JSONNode()
        try node.encode(value)
        try node.append(to: &text, depth: 0)
    }

    /// Appends the JSON object of a model, with additional members.
    @usableFromInline
    static func append(model: some StoredModel, and members: JSONObject, to text: inout [UInt8]) throws {
        let node = JSONNode()
        try model.encode(to: node)
        for (name, value) in members { node.add(value, as: name) }
        try node.append(to: &text, depth: 0)
    }
}

/// The `Encoder` of a value: it collects all members or elements before it appends text.
///
/// In each container, one generic method implements the standard library's methods for each type.
private final class JSONNode: Encoder, SingleValueEncodingContainer {
    private enum Part { case json(JSONValue), node(JSONNode) }

    /// A value without parts; nil for a list or an object.
    private var scalar: JSONValue?
    private var isArray = false
    /// Members with their names, or elements with empty names.
    private var parts: [(name: String, value: Part)] = []
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isArray = true
        return Elements(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() { scalar = .null }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let json = try Self.scalar(value) { scalar = json } else { try value.encode(to: self) }
    }

    /// Adds a member, or an element with an empty name.
    private func add<Value: Encodable>(_ value: Value, as name: String = "") throws {
        if let json = try Self.scalar(value) { add(json, as: name) } else { try value.encode(to: node(for: name)) }
    }

    func add(_ json: JSONValue, as name: String = "") { parts.append((name, .json(json))) }

    /// Adds a member or an element; the caller encodes it later.
    private func node(for name: String = "") -> JSONNode {
        let node = JSONNode()
        parts.append((name, .node(node)))
        return node
    }

    private static func scalar<Value: Encodable>(_ value: Value) throws -> JSONValue? {
        if let json = JSON.scalar(value) { return json }
        guard let scalar = value as? any JSONScalar else { return nil }
        if let json = scalar.json { return json }
        throw DeclarationFault("a number that is not finite has no JSON form")
    }

    func append(to text: inout [UInt8], depth: Int) throws {
        // The parser has the same limit, and a later build must be able to parse the text.
        guard depth <= JSONParser.deepest else { throw DeclarationFault("a value nests too deep for JSON") }
        if let scalar { return scalar.append(to: &text) }
        if !isArray, parts.count > 1 { try sort() }
        var mark = UInt8(ascii: isArray ? "[" : "{")
        for part in parts {
            text.append(mark)
            mark = UInt8(ascii: ",")
            if !isArray {
                JSONValue.append(part.name, to: &text)
                text.append(UInt8(ascii: ":"))
            }
            switch part.value {
            case .json(let value): value.append(to: &text)
            case .node(let node): try node.append(to: &text, depth: depth + 1)
            }
        }
        if parts.isEmpty { text.append(mark) }
        text.append(UInt8(ascii: isArray ? "]" : "}"))
    }

    /// Sorts the members by the bytes of their names, so that dictionaries have one text.
    private func sort() throws {
        parts.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (part, next) in zip(parts, parts.dropFirst()) where part.name.utf8.elementsEqual(next.name.utf8) {
            throw DeclarationFault("a type writes the member \(part.name) twice")
        }
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: JSONNode
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { node.add(.null, as: key.stringValue) }

        // For these types, the generic method below needs a dynamic cast.
        func encode(_ value: Bool, forKey key: Key) { node.add(.boolean(value), as: key.stringValue) }
        func encode(_ value: String, forKey key: Key) { node.add(.string(value), as: key.stringValue) }
        func encode(_ value: Int, forKey key: Key) {
            node.add(.number(String(value)), as: key.stringValue)
        }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try node.add(value, as: key.stringValue)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> { superEncoder(forKey: key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            superEncoder(forKey: key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { node.node(for: "super") }
        func superEncoder(forKey key: Key) -> any Encoder { node.node(for: key.stringValue) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let node: JSONNode
        var codingPath: [any CodingKey] { [] }
        var count: Int { node.parts.count }

        func encodeNil() { node.add(.null) }
        func encode<Value: Encodable>(_ value: Value) throws { try node.add(value) }

        func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            superEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }
        func superEncoder() -> any Encoder { node.node() }
    }
}
