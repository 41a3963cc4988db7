extension SchemaSearch {
    func keep<Value>(_ value: Value?) {
        guard let value else { return }
        values[ObjectIdentifier(Value.self), default: []].append(value)
    }

    /// A value of a type that was asked.
    ///
    /// - Parameter place: which of those that are asked for it is: of two that are true or false each comes with each.
    func value<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema, variant: Int, at place: Int) -> Value? {
        let count = schema.candidateCount
        let variant = count == 0 ? 0 : (variant + place * (variant / count)) % count
        if let known = tried[ObjectIdentifier(type), default: [:]][variant] { return known as? Value }
        for offset in 0..<count {
            guard let text = schema.candidate((variant + offset) % count), let value = AskedType.read(type, from: text)
            else { continue }
            tried[ObjectIdentifier(type), default: [:]][variant] = value
            return value
        }
        return values[ObjectIdentifier(type)]?.first as? Value
    }

    /// The value that a type says as its jsonExample.
    func value<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema, example text: String) throws -> Value {
        guard let value = AskedType.read(type, from: text) else {
            throw SchemaFault(type, "does not read its jsonExample, \(text)")
        }
        if let fault = schema.exampleFault(Array(text.utf8)) {
            throw SchemaFault(type, "says a jsonExample, \(text), that \(fault)")
        }
        return value
    }

    /// A value of the shape that a type says, where it takes one of those that are made up.
    func madeUpValue<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema) -> Value? {
        for _ in 0..<16 {
            guard let text = schema.madeUp(by: &generator) else { return nil }
            if let value = AskedType.read(type, from: text) { return value }
        }
        return nil
    }
}
