extension SchemaSearch {
    func keep<Value>(_ value: Value?) {
        guard let value else { return }
        values[ObjectIdentifier(Value.self), default: []].append(value)
    }

    /// A value of a type that was asked.
    ///
    /// - Parameters:
    ///   - variant: which of the made-up ones, where there are as many; one at random beyond, so that the values of two members
    ///     are met together in many ways.
    ///   - place: where it is, at which one variant has one value, whatever else is read.
    func value<Value: Decodable>(
        of type: Value.Type, _ schema: JSONSchema, variant: Int, at place: SchemaRun.Place
    ) -> Value? {
        if !variant.isMultiple(of: 2), let value = known(type, schema) { return value }
        let count = schema.candidateCount
        let bytes = place.joined(separator: "/").utf8
        var generator = SeededGenerator(seed: bytes.reduce(UInt64(variant)) { $0 &* 31 &+ UInt64($1) })
        let variant = variant < count ? variant : Int.random(in: 0..<max(1, count), using: &generator)
        if let known = tried[ObjectIdentifier(type), default: [:]][variant] { return known as? Value }
        for offset in 0..<count {
            guard let text = schema.candidate((variant + offset) % count), let value = AskedType.read(type, from: text)
            else { continue }
            tried[ObjectIdentifier(type), default: [:]][variant] = value
            return value
        }
        return values[ObjectIdentifier(type)]?.first as? Value
    }

    /// A value that holds one of a type that is being asked, where one is known by then.
    private func known<Value: Decodable>(_ type: Value.Type, _ schema: JSONSchema) -> Value? {
        guard let wrapping = type as? any Wrapping.Type,
            let wrapped = values[ObjectIdentifier(wrapping.wrapped)]?.first as? any Encodable,
            let bytes = try? JSON.encode(wrapped)
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return switch schema {
        case .nullable(.reference): AskedType.read(type, from: text)
        case .array(.reference): AskedType.read(type, from: "[\(text)]")
        case .dictionary(.reference, let names):
            names.candidate(0).flatMap { AskedType.read(type, from: "{\($0.quoted):\(text)}") }
        default: nil
        }
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
