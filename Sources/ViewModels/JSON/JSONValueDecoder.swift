/// The `Decoder` of a JSON value; it throws ``InputFault``.
///
/// In each container, one generic method implements the standard library's methods for each type.
final class JSONValueDecoder: Decoder, SingleValueDecodingContainer {
    fileprivate let value: JSONValue
    /// The value at the same place in the value of `init()`; its members replace missing members.
    private let defaults: JSONValue?
    /// The names of members and the indices in lists that lead to the value.
    private let path: [String]
    /// The members that the type has asked for; nil if it has not read an object.
    private(set) var asked: Set<String>?
    var codingPath: [any CodingKey] { path.map(\.codingKey) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: JSONValue, defaults: JSONValue? = nil, path: [String] = []) {
        (self.value, self.defaults, self.path) = (value, defaults, path)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let scalar = type as? any JSONScalar.Type {
            guard let read = scalar.read(value) as? Value else { throw fault("must be \(try scalar.schema.words)") }
            return read
        }
        do { return try Value(from: self) } catch {
            if error is InputFault || error is Refusal { throw error }
            // The text of the type's own error may contain request data.
            var path = path
            if case .dataCorrupted(let context)? = error as? DecodingError, context.codingPath.count > path.count {
                path = context.codingPath.map(\.stringValue)
            }
            throw InputFault(path: path, "has a value that is not allowed here")
        }
    }

    private func fault(_ complaint: String) -> InputFault { InputFault(path: path, complaint) }

    func decodeNil() -> Bool { value == .null }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw fault("must be an object") }
        asked = asked ?? []
        return KeyedDecodingContainer(Members(object: object, decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw fault("must be a list") }
        return Elements(elements: elements, decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let object: JSONObject
        let decoder: JSONValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            decoder.asked?.formUnion(object.names)
            return object.names.compactMap { Key(stringValue: $0) }
        }

        /// An optional calls this first, so a missing optional is nil, also if `init()` gives it a value.
        func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }

        func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try member(key).decode(type)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { try member(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try member(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try member("super".codingKey) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

        private func value(_ name: String) -> JSONValue? {
            decoder.asked?.insert(name)
            return object[name]
        }

        private func member(_ key: any CodingKey) throws -> JSONValueDecoder {
            let (name, path) = (key.stringValue, decoder.path + [key.stringValue])
            var standIn: JSONValue?
            if case .object(let object)? = decoder.defaults { standIn = object[name] }
            guard let value = value(name) ?? standIn else { throw InputFault(path: path, "is missing") }
            return JSONValueDecoder(value, defaults: standIn, path: path)
        }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let elements: [JSONValue]
        let decoder: JSONValueDecoder
        var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex == elements.count }

        /// Advances only if `read` succeeds, because a type may try to read an element in several ways.
        private mutating func next<Value>(_ read: (JSONValueDecoder) throws -> Value) throws -> Value {
            let path = decoder.path + [String(currentIndex)]
            guard !isAtEnd else { throw InputFault(path: path, "is missing") }
            let value = try read(JSONValueDecoder(elements[currentIndex], path: path))
            currentIndex += 1
            return value
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, elements[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> { try next { try $0.container(keyedBy: type) } }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next { try $0.unkeyedContainer() }
        }

        mutating func superDecoder() throws -> any Decoder { try next { $0 } }
    }
}

extension JSONValue: Decodable {
    /// Takes the decoder's value; only Bindery's decoder has one.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONValueDecoder else { throw InputFault(path: [], "is not read by Bindery") }
        self = decoder.value
    }
}
