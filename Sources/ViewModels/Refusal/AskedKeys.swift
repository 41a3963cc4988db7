/// What a type's `init(from:)` asks for where it starts: a structure that stands among another's members asks there, too.
final class AskedKeys {
    /// The types of coding keys, each once.
    private(set) var keys: [any CodingKey.Type] = []
    /// What it reads all of the value as.
    private(set) var wholes: [any Any.Type] = []

    /// Lets a type read a value.
    init<Value: Decodable>(of type: Value.Type, in node: JSONNode) {
        _ = try? Value(from: Recorder(decoder: JSONNodeDecoder(node: node), asked: self))
    }

    /// Whether it asks for all that another asks for there.
    func covers(_ other: AskedKeys) -> Bool {
        (other.keys + other.wholes).allSatisfy { type in (keys + wholes).contains { $0 == type } }
    }

    /// Reads what a decoder does, and writes down what was asked for.
    private struct Recorder: Decoder {
        let decoder: JSONNodeDecoder
        let asked: AskedKeys
        var codingPath: [any CodingKey] { decoder.codingPath }
        var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            if !asked.keys.contains(where: { $0 == type }) { asked.keys.append(type) }
            return try decoder.container(keyedBy: type)
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyedContainer() }
        func singleValueContainer() -> any SingleValueDecodingContainer { Whole(decoder: decoder, asked: asked) }
    }

    private struct Whole: SingleValueDecodingContainer {
        let decoder: JSONNodeDecoder
        let asked: AskedKeys
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.decodeNil() }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            asked.wholes.append(type)
            return try decoder.decode(type)
        }
    }
}
