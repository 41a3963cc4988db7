import Foundation

/// The `Decoder` of a JSON value.
///
/// In each container one generic method stands for the standard library's methods by type.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    /// The value of the same place in what `init()` makes; its members stand in for missing ones.
    var defaults: JSONValue?
    /// The keys that lead to the value.
    var codingPath: [any CodingKey] = []
    /// Notes the members that the outermost object's type asks for.
    var asked: AskedNames?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let scalar = type as? any JSONScalar.Type else { return try Value(from: self) }
        guard let read = scalar.read(value) as? Value else {
            throw mismatch(type, "must be \(try scalar.schema.words)")
        }
        return read
    }

    func decodeNil() -> Bool { value == .null }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch([String: Any].self, "must be an object") }
        return KeyedDecodingContainer(Members(object: object, decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self, "must be a list") }
        return Elements(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: any Any.Type, _ words: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: words))
    }
}

extension JSONValue: Decodable {
    /// Takes the value as it stands; only the decoders of this package have one.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONValueDecoder else {
            throw DecodingError.typeMismatch(Self.self, .init(codingPath: [], debugDescription: "no JSON value"))
        }
        self = decoder.value
    }
}

extension JSONValueDecoder {
    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let object: JSONObject
        let decoder: JSONValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            decoder.asked?.names.formUnion(object.names)
            return object.names.compactMap { Key(stringValue: $0) }
        }

        /// An optional asks this first, so a missing optional is nil, whatever `init()` makes.
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
            decoder.asked?.names.insert(name)
            return object[name]
        }

        private func member(_ key: any CodingKey) throws -> JSONValueDecoder {
            let name = key.stringValue
            var standIn: JSONValue?
            if case .object(let object)? = decoder.defaults { standIn = object[name] }
            guard let value = value(name) ?? standIn else {
                throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
            }
            return JSONValueDecoder(value: value, defaults: standIn, codingPath: codingPath + [key])
        }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let elements: [JSONValue]
        let codingPath: [any CodingKey]
        var currentIndex = 0
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex == elements.count }

        /// Moves on where `read` does not throw: a type may try an element in several ways.
        private mutating func next<Value>(_ read: (JSONValueDecoder) throws -> Value) throws -> Value {
            let path = codingPath + [currentIndex.codingKey]
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(Value.self, .init(codingPath: path, debugDescription: "is missing"))
            }
            let value = try read(JSONValueDecoder(value: elements[currentIndex], codingPath: path))
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

/// The members that a type asked for; it keeps the rest as they are stored.
final class AskedNames {
    var names: Set<String> = []
}

extension [String] {
    /// A JSON Pointer in URI fragment form (RFC 6901, section 6): `#/lines/2/quantity`.
    var jsonPointer: String {
        reduce(into: "#") { pointer, name in
            let token = name.replacing("~", with: "~0").replacing("/", with: "~1")
            pointer += "/" + (token.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? "")
        }
    }
}
