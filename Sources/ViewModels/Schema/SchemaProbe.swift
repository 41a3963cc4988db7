/// A decoder that reads from nothing and writes down what it was asked for.
///
/// A synthesized `init(from:)` asks for every member, so the members it asked for are the shape of the type. Where a
/// type asks for what cannot be made up, the members known so far stand and there may be others.
final class SchemaProbe: Decoder {
    private(set) var schema = JSONSchema.anything
    /// Members that were looked for before they were read.
    var canBeMissing: Set<String> = []
    /// Members that were compared with null before they were read.
    var canBeNull: Set<String> = []
    private var members: [JSONSchema.Member] = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// The shape of a type's values.
    static func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema {
        if let describing = type as? any SchemaDescribing.Type { return describing.jsonSchema }
        let schema = probe(type).schema
        guard schema == .string, let listing = type as? any (CaseIterable & RawRepresentable & Decodable).Type else {
            return schema
        }
        return choices(of: listing).map(JSONSchema.oneOf) ?? schema
    }

    /// The texts of an enumeration that lists its cases; nil where they are not what it is read from.
    private static func choices<Choice: CaseIterable & RawRepresentable & Decodable>(
        of type: Choice.Type
    ) -> [String]? {
        let texts = type.allCases.compactMap { $0.rawValue as? String }
        guard texts.count == type.allCases.count else { return nil }
        let areRead = texts.allSatisfy { text in
            let read = try? JSON.decode(type, from: JSON.encode(text))
            return read?.rawValue as? String == text
        }
        return areRead ? texts : nil
    }

    /// A value of the type made up of zeros and empty text, where there is one, and the shape it was made from.
    static func probe<Value: Decodable>(_ type: Value.Type) -> (value: Value?, schema: JSONSchema) {
        let probe = SchemaProbe()
        // A type that contains itself, as a tree does, would be asked for ever.
        guard !beingAsked.contains(ObjectIdentifier(type)) else { return (nil, .anything) }
        let value = $beingAsked.withValue(beingAsked.union([ObjectIdentifier(type)])) { try? Value(from: probe) }
        // What was asked for behind the last member is not known.
        if value == nil, case .object(let members) = probe.schema { probe.schema = .open(members) }
        return (value, probe.schema)
    }

    @TaskLocal private static var beingAsked: Set<ObjectIdentifier> = []

    func note(_ name: String, _ schema: JSONSchema, isRequired: Bool) {
        members.removeAll { $0.name == name }
        members.append(JSONSchema.Member(name, schema, isRequired: isRequired))
        self.schema = .object(members)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        schema = .object(members)
        return KeyedDecodingContainer(ProbedMembers<Key>(probe: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknowable() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ProbedValue(probe: self) }

    func set(_ schema: JSONSchema) { self.schema = schema }

    /// Thrown where nothing can be made up.
    struct Unknowable: Error {}
}

/// The keyed half of a ``SchemaProbe``.
struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    // Whoever asks whether a member is there can do without it: so does the default decodeIfPresent of String, Bool and
    // the numbers, which asks this and decodeNil and then decodes. A synthesized init(from:) decodes the rest straight.

    func contains(_ key: Key) -> Bool {
        probe.canBeMissing.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        probe.canBeNull.insert(key.stringValue)
        return false
    }

    // Of these two the standard library says by itself that nobody has them.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try probed(type, forKey: key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try probed(type, forKey: key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try probed(type, forKey: key) }

    private func probed<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let schema = JSONSchema(of: type)
        probe.note(
            key.stringValue, probe.canBeNull.contains(key.stringValue) ? .nullable(schema) : schema,
            isRequired: !probe.canBeMissing.contains(key.stringValue))
        if let blank = SchemaBlank.of(type) { return blank }
        guard let value = SchemaProbe.probe(type).value else { throw SchemaProbe.Unknowable() }
        return value
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        probe.note(key.stringValue, .nullable(JSONSchema(of: type)), isRequired: false)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw SchemaProbe.Unknowable() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw SchemaProbe.Unknowable()
    }

    func superDecoder() throws -> any Decoder { throw SchemaProbe.Unknowable() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw SchemaProbe.Unknowable() }
}

/// The single-value half of a ``SchemaProbe``, for types that wrap one value.
struct ProbedValue: SingleValueDecodingContainer {
    let probe: SchemaProbe
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode(_ type: Int128.Type) throws -> Int128 { try probed(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try probed(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try probed(type) }

    private func probed<Value: Decodable>(_ type: Value.Type) throws -> Value {
        probe.set(JSONSchema(of: type))
        guard let blank = SchemaBlank.of(type) else { throw SchemaProbe.Unknowable() }
        return blank
    }
}
