/// How a type's `init(from:)` begins to read a value: by the `CodingKeys` that are declared in it, or as which single values.
///
/// Not written down: by what its members are read, and the keys of a structure whose members stand among its own.
final class AskedKeys {
    /// Its `CodingKeys`; nil where it does not ask for them.
    private(set) var keys: (any CodingKey.Type)?
    /// The types of the single values that it reads.
    private(set) var values: [any Any.Type] = []
    private let type: String

    /// Lets a type read a value, until it asks for its `CodingKeys`.
    ///
    /// - Parameter way: where the value is, as the type may read that, too.
    init<Value: Decodable>(of type: Value.Type, in node: JSONNode, at way: [String]) {
        self.type = String(reflecting: type)
        let keys = way.map(JSONNodeKey.init(place:))
        let outer = keys.dropLast().reduce(nil) { CodingPlace($1, in: $0) }
        let decoder = JSONNodeDecoder(node: node, outer: outer, key: keys.last)
        _ = try? Value(from: Recorder(decoder: decoder, asked: self))
    }

    private func note(_ keys: any CodingKey.Type) throws {
        guard isDeclaredInside(String(reflecting: keys)) else { return }
        self.keys = keys
        throw CancellationError()
    }

    /// Whether it is the name of `CodingKeys` that are declared in the type: perhaps in an extension, and in a scope without a name, as a private one.
    private func isDeclaredInside(_ keys: String) -> Bool {
        let name = keys.hasPrefix("\(type).") ? keys[...] : keys.firstRange(of: "):").map { keys[$0.upperBound...] }
        guard let name, name.hasPrefix("\(type).") else { return false }
        let scopes = name.dropFirst(type.count + 1).split(separator: ".")
        return scopes.last == "CodingKeys" && scopes.dropLast().allSatisfy { $0.hasPrefix("(unknown context") }
    }

    /// Reads what a decoder does, and writes down what was asked for.
    private struct Recorder: Decoder {
        let decoder: JSONNodeDecoder
        let asked: AskedKeys
        var codingPath: [any CodingKey] { decoder.codingPath }
        var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            try asked.note(type)
            return try decoder.container(keyedBy: type)
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyedContainer() }
        func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: decoder, asked: asked) }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: JSONNodeDecoder
        let asked: AskedKeys
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.decodeNil() }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            asked.values.append(type)
            return try decoder.decode(type)
        }
    }
}
