/// The members of a ``FlatEncoder``.
struct FlatMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FlatEncoder
    var codingPath: [any CodingKey] { [] }

    private func put(_ value: some PlainJSON, _ key: Key) throws { try encoder.put(value, for: key) }

    private func put(ifFits value: some BinaryInteger, _ key: Key) throws {
        guard let value = Int(exactly: value) else { throw encoder.refuse() }
        try put(value, key)
    }

    func encodeNil(forKey key: Key) throws { try put(PlainNull(), key) }
    func encode(_ value: Bool, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: String, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { throw encoder.refuse() }
    func encode(_ value: Int8, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: Int16, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: Int32, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: Int64, forKey key: Key) throws { try put(ifFits: value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try put(ifFits: value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try put(Int(value), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try put(ifFits: value, key) }

    func encode(_ value: Int128, forKey key: Key) throws { throw encoder.refuse() }
    func encode(_ value: UInt128, forKey key: Key) throws { throw encoder.refuse() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw encoder.refuse() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        NoFlatValues(encoder: encoder).nestedContainer(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NoFlatValues(encoder: encoder) }

    func superEncoder() -> any Encoder { NoFlatValues(encoder: encoder).superEncoder() }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// Stands where a ``FlatEncoder`` is asked for what it does not do, and refuses it.
struct NoFlatValues: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: FlatEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    init(encoder: FlatEncoder) {
        self.encoder = encoder
        // Even where nothing is put into it: an empty list is no plain member.
        _ = encoder.refuse()
    }

    func encodeNil() throws { throw FlatEncoder.NotFlat() }
    func encode<Value: Encodable>(_ value: Value) throws { throw FlatEncoder.NotFlat() }

    func nestedContainer<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FlatMembers<Key>(encoder: encoder))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { encoder }
}
