/// The keyed half of a ``SchemaProbe``.
struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        probe.note(key.stringValue, JSONSchema(of: type), isRequired: true)
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
