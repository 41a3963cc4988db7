/// Finds the schema of a type: it runs `init(from:)` once, records each read, and returns made-up values.
final class SchemaProbe: Decoder, SingleValueDecodingContainer {
    /// The types whose `init(from:)` is running, to find a type that contains itself.
    @TaskLocal private static var open: [ObjectIdentifier] = []

    private let type: any Any.Type
    /// The first fault, kept because the type's code may catch it.
    private var fault: DeclarationFault?
    private var members: [JSONSchema.Member] = []
    private var single: JSONSchema?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(_ type: any Any.Type) { self.type = type }

    /// The schema of a type, and a value for the `init(from:)` of the containing type.
    ///
    /// - Throws: ``DeclarationFault``.
    static func find<Value: Decodable>(_ type: Value.Type) throws -> (JSONSchema, Value) {
        let found: (schema: JSONSchema, value: Any)
        if let type = type as? any SchemaDescribing.Type {
            found = (try type.jsonSchema, type.schemaExample)
        } else if let type = type as? any Shaped.Type {
            found = (try type.schema, type.init())
        } else if let type = type as? any (CaseIterable & RawRepresentable).Type, let cases = cases(type) {
            found = cases
        } else {
            found = try SchemaProbe(type).run(type)
        }
        guard let value = found.value as? Value else { throw failure(type, "is not the type of its example") }
        return (found.schema, value)
    }

    private static func cases<Cases: CaseIterable & RawRepresentable>(_ type: Cases.Type) -> (JSONSchema, Any)? {
        guard let first = type.allCases.first else { return nil }
        let texts = type.allCases.compactMap { $0.rawValue as? String }
        if !texts.isEmpty { return (.oneOf(texts), first) }
        let numbers = type.allCases.compactMap { ($0.rawValue as? any BinaryInteger).map { Int128($0) } }
        return numbers.isEmpty ? nil : (.oneOfIntegers(numbers), first)
    }

    private func run<Value: Decodable>(_ type: Value.Type) throws -> (JSONSchema, Any) {
        let (open, id) = (Self.open, ObjectIdentifier(type))
        if open.contains(id) { throw Self.failure(type, "contains itself") }
        do {
            let value = try Self.$open.withValue(open + [id]) { try type.init(from: self) }
            if fault == nil { return (single ?? .object(members), value) }
        } catch { fault = fault ?? error as? DeclarationFault }
        throw fault ?? Self.failure(type, "has an init(from:) that refuses the made-up values of the search")
    }

    private static func failure(_ type: any Any.Type, _ complaint: String) -> DeclarationFault {
        DeclarationFault("\(type) \(complaint). Conform it to SchemaDescribing")
    }

    @discardableResult
    private func fail(_ complaint: String) -> DeclarationFault { keep(Self.failure(type, complaint)) }

    private func keep(_ fault: DeclarationFault) -> DeclarationFault {
        self.fault = self.fault ?? fault
        return fault
    }

    private func find<Value: Decodable>(_ type: Value.Type, _ name: String? = nil) throws -> (JSONSchema, Value) {
        do {
            guard let name else { return try Self.find(type) }
            return try naming(name) { try Self.find(type) }
        } catch let fault as DeclarationFault { throw keep(fault) }
    }

    /// Adds a member; if the type has asked for it before, the member is optional and may be null.
    private func add(_ name: String, _ schema: JSONSchema) {
        guard let place = members.firstIndex(where: { $0.name == name }) else {
            return members.append(JSONSchema.Member(name, schema))
        }
        members[place] = JSONSchema.Member(name, schema.orNull, isRequired: false)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(probe: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw fail("reads a list element by element") }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool {
        fail("asks whether it is null")
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (schema, value) = try find(type)
        guard single == nil, members.isEmpty else { throw fail("reads one value in several ways") }
        single = schema
        return value
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let probe: SchemaProbe
        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] {
            probe.fail("reads the names of its members, as an enumeration with payloads does")
            return []
        }

        // The type calls these two before it reads an optional member.

        func contains(_ key: Key) -> Bool {
            probe.add(key.stringValue, .anything)
            return true
        }

        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let name = key.stringValue
            var (schema, value) = try probe.find(type, name)
            // A text gets the name of its member, so that a key path to the text finds the name.
            if let text = name as? Value { value = text }
            probe.add(name, schema)
            return value
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { throw nested() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested() }
        func superDecoder() throws -> any Decoder { throw nested() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw nested() }
        private func nested() -> DeclarationFault { probe.fail("reads members of its members itself") }
    }
}
