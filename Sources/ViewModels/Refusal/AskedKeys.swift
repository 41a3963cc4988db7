import Foundation

/// How a type's `init(from:)` begins to read a value: by which coding keys that are declared in it, or as which single values.
///
/// What its members are read by is not written down, nor the keys of a structure that has its members among them.
final class AskedKeys {
    /// Each once; once ``CodingKeys`` are asked for, nothing more is.
    private var declared: [(name: Substring, keys: any CodingKey.Type)] = []
    /// The types of the single values that it reads.
    private(set) var values: [any Any.Type] = []
    private let place: [Substring]

    /// Lets a type read a value.
    init<Value: Decodable>(of type: Value.Type, in node: JSONNode) {
        place = Self.names(of: type)
        _ = try? Value(from: Recorder(decoder: JSONNodeDecoder(node: node), asked: self))
    }

    /// Its coding keys: those called so, or the only ones; nil for none.
    var keys: (any CodingKey.Type)? {
        declared.first { $0.name == "CodingKeys" }?.keys ?? (declared.count == 1 ? declared[0].keys : nil)
    }

    private func note(_ keys: any CodingKey.Type) throws {
        let names = Self.names(of: keys)
        guard let name = names.last, names.dropLast() == place[...], !declared.contains(where: { $0.keys == keys })
        else { return }
        declared.append((name, keys))
        if name == "CodingKeys" { throw CancellationError() }
    }

    /// What a type is declared in, and its own name; without what has no name, as a private scope, and in whose extension that is.
    private static func names(of type: any Any.Type) -> [Substring] {
        let name = String(reflecting: type)
        let extended = name.hasPrefix("(extension in ") ? name.range(of: "):")?.upperBound : nil
        return name[(extended ?? name.startIndex)...].split(separator: ".").filter { !$0.hasPrefix("(unknown context") }
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
