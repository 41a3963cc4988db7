/// A decoder that reads from nothing and writes down what it was asked for.
///
/// A synthesized `init(from:)` asks for every member, so the members it asked for are the shape of the type. Where a
/// type asks for what cannot be made up, the members known so far stand and the rest is said to be anything.
final class SchemaProbe: Decoder {
    private(set) var schema = JSONSchema.anything
    private var members: [JSONSchema.Member] = []
    private var optionals: Set<String> = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// The shape of a type's values.
    static func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema {
        if let describing = type as? any SchemaDescribing.Type { return describing.jsonSchema }
        return probe(type).schema
    }

    /// A value of the type made up of zeros and empty text, where there is one, and the shape it was made from.
    static func probe<Value: Decodable>(_ type: Value.Type) -> (value: Value?, schema: JSONSchema) {
        let probe = SchemaProbe()
        let value = try? Value(from: probe)
        return (value, probe.schema)
    }

    func noteOptional(_ name: String) { optionals.insert(name) }

    func note(_ name: String, _ schema: JSONSchema) {
        let isOptional = optionals.contains(name)
        members.append(JSONSchema.Member(name, isOptional ? .nullable(schema) : schema, isRequired: !isOptional))
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
