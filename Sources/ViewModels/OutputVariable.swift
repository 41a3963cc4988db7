import Binding

/// The Variable in which a client keeps what its server shows of an output.
@usableFromInline
package protocol OutputVariable: ReadableVariable {
    /// Reads a value, and returns the step that sets the Variable to it.
    ///
    /// - Throws: `DecodingError` where the value has another shape.
    func reading(_ json: JSONValue) throws -> @Sendable () -> Void
}

extension Variable: OutputVariable where Value: Decodable {
    @usableFromInline
    package func reading(_ json: JSONValue) throws -> @Sendable () -> Void {
        let value = try JSONValueDecoder(value: json).decode(Value.self)
        return { self.value = value }
    }
}

@usableFromInline
func makeVariable<Value: Codable & Sendable>(of type: Value.Type, _ json: JSONValue) throws -> any OutputVariable {
    Variable(try JSONValueDecoder(value: json).decode(type))
}
