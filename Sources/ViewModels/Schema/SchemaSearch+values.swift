extension SchemaSearch {
    func keep<Value>(_ value: Value?) {
        guard let value else { return }
        values[ObjectIdentifier(Value.self), default: []].append(value)
    }

    /// A value of a type that was asked.
    func value<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema, variant: Int) -> Value? {
        if let known = tried[ObjectIdentifier(type), default: [:]][variant] { return known as? Value }
        let texts = schema.candidates
        for offset in texts.indices {
            guard let value = AskedType.read(type, from: texts[(variant + offset) % texts.count]) else { continue }
            tried[ObjectIdentifier(type), default: [:]][variant] = value
            return value
        }
        return values[ObjectIdentifier(type)]?.first as? Value
    }

    func taken<Value: Decodable>(_ text: String, by type: Value.Type) throws -> Value {
        guard let value = AskedType.read(type, from: text) else {
            throw SchemaFault(type, "does not read its jsonExample, \(text)")
        }
        return value
    }

    func example<Value: Decodable>(of type: Value.Type, _ schema: JSONSchema) -> Value? {
        for _ in 0..<16 {
            guard let text = schema.madeUp(by: &generator) else { return nil }
            if let value = AskedType.read(type, from: text) { return value }
        }
        return nil
    }
}
