/// Finds the schema of a type, by one run of its `init(from:)` on a decoder that makes up the values.
struct SchemaSearch {
    /// The types whose `init(from:)` runs, outermost first.
    private var open: [ObjectIdentifier] = []

    init() {}

    /// The schema of a type, and a value of it, with which the `init(from:)` around it goes on.
    ///
    /// - Throws: ``SchemaFault``, with the way to the type if it is `place` in another one.
    func find<Value: Decodable>(_ type: Value.Type, in place: String? = nil) throws -> (JSONSchema, Value) {
        do {
            if let type = type as? any SchemaDescribing.Type {
                return (try type.jsonSchema, try Self.value(type.schemaExample))
            }
            if let type = type as? any JSONScalar.Type { return (type.schema, try Self.value(type.placeholder)) }
            if let type = type as? any Wrapping.Type {
                return (try type.schema(by: self), try Self.value(type.placeholder))
            }
            if let type = type as? any (CaseIterable & RawRepresentable).Type, let (schema, first) = Self.cases(type) {
                return (schema, try Self.value(first))
            }
            return try run(type)
        } catch var fault as SchemaFault {
            if let place { fault.path.insert(place, at: 0) }
            throw fault
        }
    }

    private func run<Value: Decodable>(_ type: Value.Type) throws -> (JSONSchema, Value) {
        guard !open.contains(ObjectIdentifier(type)) else { throw SchemaFault(type, "contains itself") }
        var inner = self
        inner.open.append(ObjectIdentifier(type))
        let finding = Finding(type, inner)
        do {
            let value = try type.init(from: ProbingDecoder(finding: finding))
            if let fault = finding.fault { throw fault }
            return (finding.schema, value)
        } catch {
            throw finding.fault ?? SchemaFault(type, "refuses, in its init(from:), the values that the search makes up")
        }
    }

    private static func value<Value>(_ value: Any, as type: Value.Type = Value.self) throws -> Value {
        guard let value = value as? Value else { throw SchemaFault(type, "is not the type of its example") }
        return value
    }

    private static func cases<Cases: CaseIterable & RawRepresentable>(_ type: Cases.Type) -> (JSONSchema, Cases)? {
        guard let first = type.allCases.first else { return nil }
        let texts = type.allCases.compactMap { $0.rawValue as? String }
        if !texts.isEmpty { return (.oneOf(texts), first) }
        let numbers = type.allCases.compactMap { ($0.rawValue as? any BinaryInteger).map { Int128($0) } }
        return numbers.isEmpty ? nil : (.oneOfIntegers(numbers), first)
    }
}

/// What one run of an `init(from:)` has read.
private final class Finding {
    let type: any Any.Type
    let search: SchemaSearch
    /// The first fault, which the type's code may catch.
    private(set) var fault: SchemaFault?
    private var members: [JSONSchema.Member] = []
    private var single: JSONSchema?
    /// The members of which the type has asked whether they are null.
    var nullable: Set<String> = []

    init(_ type: any Any.Type, _ search: SchemaSearch) { (self.type, self.search) = (type, search) }

    var schema: JSONSchema { single ?? .object(members) }

    @discardableResult
    func fail(_ complaint: String) -> SchemaFault { fail(SchemaFault(type, complaint)) }

    private func fail(_ fault: SchemaFault) -> SchemaFault {
        let first = self.fault ?? fault
        self.fault = first
        return first
    }

    /// Reads a member, or for nil the value itself.
    func read<Value: Decodable>(_ type: Value.Type, _ name: String?) throws -> Value {
        do {
            let (schema, value) = try search.find(type, in: name)
            if let name {
                add(name, nullable.contains(name) ? schema.orNull : schema, isRequired: true)
            } else {
                guard single == nil, members.isEmpty else { throw fail("reads one value in several ways") }
                single = schema
            }
            return value
        } catch let fault as SchemaFault { throw fail(fault) }
    }

    /// Adds a member, or says more of one that the type has asked for before.
    func add(_ name: String, _ schema: JSONSchema, isRequired: Bool) {
        guard let place = members.firstIndex(where: { $0.name == name }) else {
            return members.append(JSONSchema.Member(name, schema, isRequired: isRequired))
        }
        members[place] = JSONSchema.Member(name, schema, isRequired: isRequired && members[place].isRequired)
    }
}

/// Notes what an `init(from:)` reads, and hands it made-up values.
private struct ProbingDecoder: Decoder, SingleValueDecodingContainer {
    let finding: Finding
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(finding: finding))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw finding.fail("reads a list element by element")
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool {
        finding.fail("asks whether it is null")
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try finding.read(type, nil) }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let finding: Finding
        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] {
            finding.fail("reads the names of its members, as an enumeration with payloads does")
            return []
        }

        // An optional member is asked for by these two before it is read.

        func contains(_ key: Key) -> Bool {
            finding.add(key.stringValue, .anything, isRequired: false)
            return true
        }

        func decodeNil(forKey key: Key) -> Bool {
            finding.nullable.insert(key.stringValue)
            return false
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try finding.read(type, key.stringValue)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { throw nested() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested() }
        func superDecoder() throws -> any Decoder { throw nested() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw nested() }
        private func nested() -> SchemaFault { finding.fail("reads members of its members itself") }
    }
}

/// A type of the standard library whose schema follows from the types that it holds.
private protocol Wrapping {
    static func schema(by search: SchemaSearch) throws -> JSONSchema
    static var placeholder: Self { get }
}

extension Optional: Wrapping where Wrapped: Decodable {
    fileprivate static func schema(by search: SchemaSearch) throws -> JSONSchema {
        try search.find(Wrapped.self).0.orNull
    }
    fileprivate static var placeholder: Wrapped? { nil }
}

extension Array: Wrapping where Element: Decodable {
    fileprivate static func schema(by search: SchemaSearch) throws -> JSONSchema {
        .array(try search.find(Element.self, in: "*").0)
    }
    fileprivate static var placeholder: [Element] { [] }
}

extension Dictionary: Wrapping where Key == String, Value: Decodable {
    fileprivate static func schema(by search: SchemaSearch) throws -> JSONSchema {
        .dictionary(try search.find(Value.self, in: "*").0)
    }
    fileprivate static var placeholder: [String: Value] { [:] }
}
