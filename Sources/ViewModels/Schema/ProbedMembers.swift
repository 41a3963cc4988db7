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
