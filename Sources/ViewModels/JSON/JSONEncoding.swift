/// JSON text to and from Swift values, alike in bodies, outputs and stored models.
@usableFromInline
package enum JSON {
    /// The value as compact JSON text, the members of objects sorted by name, so that equal values have equal text.
    ///
    /// - Throws: `EncodingError`, for example for a number that is not finite.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        var text: [UInt8] = []
        try appendAny(value, to: &text)
        return text
    }

    /// The value that a JSON text stands for.
    ///
    /// - Throws: ``JSONFault`` where the text is not JSON, and `DecodingError` where it has another shape.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        try JSONValueDecoder(value: JSONValue(parsing: text)).decode(type)
    }

    /// Appends the text of a value.
    @inlinable
    static func append<Value: Encodable>(_ value: Value, to text: inout [UInt8]) throws {
        if let scalar = scalar(value) { append(scalar, to: &text) } else { try appendAny(value, to: &text) }
    }

    // A compiler that knows the type keeps one line. The cast to a protocol, for other types, is slow.
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
    static func append(_ value: JSONValue, to text: inout [UInt8]) { value.append(to: &text) }

    @usableFromInline
    static func appendAny<Value: Encodable>(_ value: Value, to text: inout [UInt8]) throws {
        let node = JSONNode()
        try node.encode(value)
        try node.append(to: &text, depth: 0)
    }
}

/// A value that is being encoded, and its members or elements.
private final class JSONNode {
    private enum Kind { case none, scalar, object, array }
    private enum Part { case scalar(JSONValue), node(JSONNode) }

    private var kind = Kind.none
    private var scalar = JSONValue.null
    /// Members with their names, or elements with empty names.
    private var parts: [(name: String, value: Part)] = []
    var count: Int { parts.count }

    /// Makes it an object or a list; an `encode(to:)` that asks for the same again goes on with it.
    func begin(isObject: Bool) {
        let new = isObject ? Kind.object : .array
        if kind != new { (kind, parts) = (new, []) }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let scalar = try Self.scalar(value, "") { return put(scalar) }
        try value.encode(to: JSONValueEncoder(node: self))
    }

    func put(_ value: JSONValue) { (kind, scalar) = (.scalar, value) }

    /// Adds a member, or an element, for which the name is empty.
    func add<Value: Encodable>(_ value: Value, as name: String) throws {
        if let scalar = try Self.scalar(value, name) { return add(scalar, as: name) }
        try value.encode(to: JSONValueEncoder(node: node(for: name)))
    }

    func add(_ value: JSONValue, as name: String) { parts.append((name, .scalar(value))) }

    /// Adds a member, or an element, that is encoded later.
    func node(for name: String) -> JSONNode {
        let node = JSONNode()
        parts.append((name, .node(node)))
        return node
    }

    private static func scalar<Value: Encodable>(_ value: Value, _ name: String) throws -> JSONValue? {
        if let json = JSON.scalar(value) { return json }
        guard let scalar = value as? any JSONScalar else { return nil }
        if let json = scalar.json { return json }
        throw failure("A number that is not finite has no JSON form" + (name.isEmpty ? "." : ": \(name)."))
    }

    func append(to text: inout [UInt8], depth: Int) throws {
        // A later build must be able to parse it.
        guard depth <= JSONParser.deepest else {
            throw Self.failure("It nests deeper than \(JSONParser.deepest) levels.")
        }
        if kind == .scalar { return scalar.append(to: &text) }
        if kind == .object { try sort() }
        text.append(UInt8(ascii: kind == .array ? "[" : "{"))
        for (place, part) in parts.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            if kind == .object {
                JSONValue.string(part.name).append(to: &text)
                text.append(UInt8(ascii: ":"))
            }
            switch part.value {
            case .scalar(let value): value.append(to: &text)
            case .node(let node): try node.append(to: &text, depth: depth + 1)
            }
        }
        text.append(UInt8(ascii: kind == .array ? "]" : "}"))
    }

    /// Sorts the members by the bytes of their names, so that dictionaries have one text.
    private func sort() throws {
        parts.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (part, next) in zip(parts, parts.dropFirst()) where part.name.utf8.elementsEqual(next.name.utf8) {
            throw Self.failure("It writes the member \(part.name) twice.")
        }
    }

    private static func failure(_ words: String) -> EncodingError {
        .invalidValue(words, .init(codingPath: [], debugDescription: words))
    }
}

/// The `Encoder` of a node; one generic method stands for the standard library's methods by type.
private struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.begin(isObject: true)
        return KeyedEncodingContainer(Members(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.begin(isObject: false)
        return Elements(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() { node.put(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try node.encode(value) }

    struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: JSONNode
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { node.add(.null, as: key.stringValue) }

        // For these, the generic method below would need a dynamic cast.
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

        func superEncoder() -> any Encoder { JSONValueEncoder(node: node.node(for: "super")) }
        func superEncoder(forKey key: Key) -> any Encoder { JSONValueEncoder(node: node.node(for: key.stringValue)) }
    }

    struct Elements: UnkeyedEncodingContainer {
        let node: JSONNode
        var codingPath: [any CodingKey] { [] }
        var count: Int { node.count }

        func encodeNil() { node.add(.null, as: "") }
        func encode<Value: Encodable>(_ value: Value) throws { try node.add(value, as: "") }

        func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            superEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }
        func superEncoder() -> any Encoder { JSONValueEncoder(node: node.node(for: "")) }
    }
}
