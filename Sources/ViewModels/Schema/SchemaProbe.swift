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
