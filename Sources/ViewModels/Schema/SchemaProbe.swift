/// The decoder of a ``SchemaRun``, at one place.
struct SchemaProbe: Decoder {
    let run: SchemaRun
    let part: SchemaRun.Part
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try run.ask(part.place, for: KeyedDecodingContainer<Key>.self)
        part.isRead(as: .object)
        return KeyedDecodingContainer(ProbedMembers<Key>(run: run, part: part))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try run.ask(part.place, for: ProbedElements.self)
        part.isRead(as: .list)
        return ProbedElements(run: run, part: part)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SchemaProbe: SingleValueDecodingContainer {
    func decodeNil() -> Bool { run.compare(part.place) }

    // The generic method would not be used for these two: the standard library's default for them throws.
    func decode(_ type: Int128.Type) throws -> Int128 { try run.read(type, as: part) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try run.read(type, as: part) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try run.read(type, as: part) }
}

private struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let run: SchemaRun
    let part: SchemaRun.Part
    var codingPath: [any CodingKey] { [] }

    /// A synthesized enumeration finds its case by the one member that there is.
    var allKeys: [Key] {
        guard let cases = EnumCases.all(of: Key.self), cases.allSatisfy({ Key(stringValue: $0.stringValue) != nil })
        else {
            part.isOpen = true
            return []
        }
        part.cases = cases.map(\.stringValue)
        return run.plan.cases.filter(cases.indices.contains).map { cases[$0] }
    }

    func contains(_ key: Key) -> Bool { run.seek(part.place + [key.stringValue]) }

    func decodeNil(forKey key: Key) throws -> Bool { run.compare(part.place + [key.stringValue]) }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try read(type, key) }

    private func read<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        try run.read(type, as: part.member(key.stringValue))
    }

    /// Nil also where no value is known yet, as of the type itself.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let member = part.member(key.stringValue)
        let schema = try run.describe(type, as: member)
        member.isRead(as: .value(schema))
        guard run.seek(member.place), !run.compare(member.place) else { return nil }
        try run.ask(member.place, for: type)
        return run.madeUp(of: type, schema, at: member.place)
    }

    private func probe(_ key: any CodingKey) -> SchemaProbe {
        SchemaProbe(run: run, part: part.member(key.stringValue))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try probe(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try probe(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { probe(JSONNodeKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { probe(key) }
}

private struct ProbedElements: UnkeyedDecodingContainer {
    let run: SchemaRun
    let part: SchemaRun.Part
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? {
        run.isCounted = true
        part.isReadToEnd = true
        return run.plan.length
    }

    init(run: SchemaRun, part: SchemaRun.Part) { (self.run, self.part) = (run, part) }

    var isAtEnd: Bool {
        part.isReadToEnd = true
        return currentIndex >= run.plan.length
    }

    private mutating func next() throws -> SchemaProbe {
        // Whoever does not look for the end in time reads a list of a certain length, or would never stop.
        guard currentIndex < 64 else { throw SchemaRun.Nothing() }
        if currentIndex >= run.plan.length { run.overruns.insert(part.place) }
        defer { currentIndex += 1 }
        return SchemaProbe(run: run, part: part.member(String(currentIndex)))
    }

    mutating func decodeNil() throws -> Bool {
        guard run.compare(part.place + [String(currentIndex)]) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try run.read(type, as: next().part) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try run.read(type, as: next().part) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try run.read(type, as: next().part)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }
}
