/// The single-value half of a ``SchemaProbe``, for types that wrap one value.
struct ProbedValue: SingleValueDecodingContainer {
    let probe: SchemaProbe
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode(_ type: Int128.Type) throws -> Int128 { try probed(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try probed(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try probed(type) }

    private func probed<Value: Decodable>(_ type: Value.Type) throws -> Value {
        probe.set(JSONSchema(of: type))
        guard let blank = SchemaBlank.of(type) else { throw SchemaProbe.Unknowable() }
        return blank
    }
}
