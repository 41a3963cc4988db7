/// The keyed half of a ``SchemaProbe``.
struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    /// Asked of members that may be missing, before they are decoded; of no others.
    func contains(_ key: Key) -> Bool {
        probe.noteOptional(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        probe.note(key.stringValue, JSONSchema(of: type))
        if let blank = SchemaBlank.of(type) { return blank }
        guard let value = SchemaProbe.probe(type).value else { throw SchemaProbe.Unknowable() }
        return value
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
