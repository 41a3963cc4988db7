/// An encoder that keeps nothing, and throws where a value without an order is written.
///
/// What a type reads does not tell it: who reads a list may write a set, and the other way round. A type whose `encode(to:)` hands
/// its encoder on to a set's own is not found out.
struct OrderProbe: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// The names that lead here.
    private var path: [String] = []
    /// Whether what is written here are the elements of a list or a dictionary.
    private var isOfMany = false
    /// The type of Swift's or Foundation's that is being written: what it consists of says nothing to who uses it.
    private var foreign: (type: any Any.Type, path: [String])?
    private let seen = Seen()

    /// The types that are written, with the names that lead to them: there may have been no value.
    private final class Seen {
        var types: [(type: any Any.Type, path: [String])] = []
        private var ids: Set<ObjectIdentifier> = []

        func note(_ type: any Any.Type, at path: [String]) {
            if ids.insert(ObjectIdentifier(type)).inserted { types.append((type, path)) }
            guard let wrapping = type as? any Wrapping.Type else { return }
            note(wrapping.wrapped, at: wrapping.place.isEmpty ? path : path + [wrapping.place])
        }
    }

    private init() {}

    /// The first fault of order in what a type's values are written as: in the example, in values that are made up, and in those
    /// of the types that these write.
    static func fault<Value>(of searched: SearchedType<Value>, _ example: Value?) -> SchemaFault? {
        var probe = OrderProbe()
        let faults = ([example].compactMap(\.self) + searched.values).compactMap { probe.fault(in: $0) }
        if let fault = faults.min(by: { $0.path.count < $1.path.count }) { return fault }
        var place = 0
        while place < probe.seen.types.count {
            let (type, path) = probe.seen.types[place]
            probe.path = path
            for case let value as any Encodable in searched.search.values[ObjectIdentifier(type)] ?? [] {
                if let fault = probe.fault(in: value) { return fault }
            }
            place += 1
        }
        guard case .failure = searched.schema else { return nil }
        // Most likely what it reads, of which no shape is known by which values could be made, is what it writes.
        guard case .failure(let fault) = SchemaSearch(refusesUnordered: true).result(of: Value.self) else { return nil }
        return fault.isOfOrder ? fault : nil
    }

    private func fault<Value: Encodable>(in value: Value) -> SchemaFault? {
        do { try AskedType.name(Value.self) { try write(value) } } catch {
            // What cannot be encoded is told where it is shown or stored.
            return error as? SchemaFault
        }
        return nil
    }

    /// Throws where values of the type have no order, whether there is one or not.
    fileprivate func look<Value>(at type: Value.Type) throws {
        if foreign == nil { seen.note(type, at: path) }
        guard let fault = SchemaFault(unordered: type) else { return }
        let told = foreign.map { (fault.told(of: $0.type), $0.path) } ?? (fault, path)
        throw told.1.reversed().reduce(told.0) { $0.within($1) }
    }

    fileprivate func write<Value: Encodable>(_ value: Value) throws {
        try look(at: Value.self)
        // The standard library's write themselves by asking for themselves.
        if value is Bool || value is String || value is any FixedWidthInteger || value is any BinaryFloatingPoint {
            return
        }
        var probe = self
        if foreign == nil, SchemaFault.isForeign(Value.self) { probe.foreign = (Value.self, path) }
        probe.isOfMany = (Value.self as? any Wrapping.Type).map { !$0.place.isEmpty } ?? false
        try value.encode(to: probe)
    }

    fileprivate func member(_ name: String) -> OrderProbe {
        var probe = self
        probe.path.append(isOfMany ? "*" : name)
        probe.isOfMany = false
        return probe
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(WrittenMembers<Key>(probe: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { WrittenElements(probe: self) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension OrderProbe: SingleValueEncodingContainer {
    func encodeNil() {}
    // The generic method would not be used for these two: the standard library's default for them throws.
    func encode(_ value: Int128) {}
    func encode(_ value: UInt128) {}
    func encode<Value: Encodable>(_ value: Value) throws { try write(value) }
}

private struct WrittenMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let probe: OrderProbe
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}
    func encode(_ value: Int128, forKey key: Key) {}
    func encode(_ value: UInt128, forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try probe.member(key.stringValue).write(value)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try probe.member(key.stringValue).look(at: Value.self)
        if let value { try encode(value, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { probe.member(key.stringValue).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        probe.member(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { probe.member("super") }
    func superEncoder(forKey key: Key) -> any Encoder { probe.member(key.stringValue) }
}

private struct WrittenElements: UnkeyedEncodingContainer {
    let probe: OrderProbe
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(probe: OrderProbe) { self.probe = probe }

    private mutating func next() -> OrderProbe {
        defer { count += 1 }
        return probe.member(String(count))
    }

    mutating func encodeNil() { count += 1 }
    mutating func encode(_ value: Int128) { count += 1 }
    mutating func encode(_ value: UInt128) { count += 1 }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().write(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { next() }
}
