/// One run of a type's `init(from:)`, on values that are made up: what it asked for, and the shape that this is.
final class SchemaRun {
    /// What it is given.
    struct Plan {
        /// Which of the made-up values.
        var variant = 0
        /// How many elements a list has, where the type looks for its end.
        var length = 2
        /// Which of its cases an enumeration finds, by their places.
        var cases = [0]
        /// The place of the ask that fails.
        var failing: Int?
        /// The place of a member that is missing.
        var missing: String?
        /// The place of a value that is null.
        var null: String?
    }

    /// What was asked for, and where.
    struct Ask: Hashable {
        let place: String
        let type: ObjectIdentifier
    }

    /// Thrown where nothing can be given.
    struct Nothing: Error {}

    let plan: Plan
    let search: SchemaSearch
    let root = Shape(at: "")
    private(set) var asks: [Ask] = []
    /// The places that it could do without: they may be missing or null.
    var optionals: Set<String> = []
    /// The places that it looked for before it read them.
    var soughtPlaces: Set<String> = []
    /// The places that it compared with null.
    var comparedPlaces: Set<String> = []
    /// The most values there are to be tried of one that it read.
    var mostVariants = 0
    /// Why it cannot be known.
    var fault: SchemaFault?

    init(_ plan: Plan, of search: SchemaSearch) { (self.plan, self.search) = (plan, search) }

    /// Notes that something is asked for.
    func ask(_ place: String, for type: any Any.Type) throws {
        asks.append(Ask(place: place, type: ObjectIdentifier(type)))
        if asks.count - 1 == plan.failing { throw Nothing() }
    }

    /// Reads a value at a place.
    func read<Value: Decodable>(_ type: Value.Type, as shape: Shape) throws -> Value {
        let schema = try describe(type, as: shape)
        try ask(shape.place, for: type)
        guard let value = search.value(of: type, schema, variant: plan.variant) else { throw Nothing() }
        return value
    }

    /// Notes what a value is.
    @discardableResult
    func describe<Value: Decodable>(_ type: Value.Type, as shape: Shape) throws -> JSONSchema {
        do {
            let schema = try JSONSchema(of: type)
            shape.content = .value(schema)
            mostVariants = max(mostVariants, schema.candidates.count)
            return schema
        } catch {
            // Kept, as the type may go on without it.
            if fault == nil { fault = shape.path.reversed().reduce(error) { $0.within($1) } }
            throw error
        }
    }

    /// What is known of a value, growing as it is read.
    final class Shape {
        enum Content {
            case nothing, object, list
            case value(JSONSchema)
        }

        let place: String
        var content = Content.nothing
        private(set) var members: [Shape] = []
        /// Whether a list is read to its end.
        var isReadToEnd = false
        /// The members of which an enumeration has one; nil where nobody looked for them.
        var cases: [String]?
        /// Whether all members were looked for, whatever their names.
        var isOpen = false

        init(at place: String) { self.place = place }

        /// The names of the place; none for the whole.
        var path: [String] {
            place.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
                String($0).replacing("~1", with: "/")
            }
        }

        /// A member of an object, or an element of a list.
        func part(_ name: String) -> Shape {
            let part = Shape(at: "\(place)/\(name.replacing("/", with: "~1"))")
            members.removeAll { $0.place == part.place }
            members.append(part)
            return part
        }

        /// Nil where it is not known whole.
        func schema(optional: Set<String>, nullable: Set<String>) -> JSONSchema? {
            let parts = members.compactMap { part in
                part.schema(optional: optional, nullable: nullable).map {
                    JSONSchema.Member(
                        part.path.last ?? "", $0, isRequired: !optional.contains(part.place))
                }
            }
            guard parts.count == members.count, !isOpen else { return nil }
            var schema: JSONSchema
            switch content {
            case .nothing: return nil
            case .object: schema = .object(parts)
            case .list where isReadToEnd:
                guard let first = parts.first?.schema, parts.allSatisfy({ $0.schema == first }) else { return nil }
                schema = .array(first)
            case .list: schema = .tuple(parts.map(\.schema))
            case .value(let value): schema = value
            }
            if nullable.contains(place), !schema.isNullable { schema = .nullable(schema) }
            return schema
        }
    }
}

/// The decoder of a ``SchemaRun``, at one place.
struct SchemaProbe: Decoder {
    let run: SchemaRun
    let shape: SchemaRun.Shape
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try run.ask(shape.place, for: KeyedDecodingContainer<Key>.self)
        shape.content = .object
        return KeyedDecodingContainer(ProbedMembers<Key>(run: run, shape: shape))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try run.ask(shape.place, for: ProbedElements.self)
        shape.content = .list
        return ProbedElements(run: run, shape: shape)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SchemaProbe: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        run.comparedPlaces.insert(shape.place)
        return run.plan.null == shape.place
    }

    // The generic method would not be used for these two: the standard library's default for them throws.
    func decode(_ type: Int128.Type) throws -> Int128 { try run.read(type, as: shape) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try run.read(type, as: shape) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try run.read(type, as: shape) }
}

private struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let run: SchemaRun
    let shape: SchemaRun.Shape
    var codingPath: [any CodingKey] { [] }

    /// A synthesized enumeration finds its case by the one member that there is.
    var allKeys: [Key] {
        guard let cases = EnumCases.all(of: Key.self), cases.allSatisfy({ Key(stringValue: $0.stringValue) != nil })
        else {
            shape.isOpen = true
            return []
        }
        shape.cases = cases.map(\.stringValue)
        return run.plan.cases.filter(cases.indices.contains).map { cases[$0] }
    }

    func contains(_ key: Key) -> Bool {
        let place = "\(shape.place)/\(key.stringValue.replacing("/", with: "~1"))"
        run.soughtPlaces.insert(place)
        return run.plan.missing != place
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let place = "\(shape.place)/\(key.stringValue.replacing("/", with: "~1"))"
        run.comparedPlaces.insert(place)
        return run.plan.null == place
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try read(type, key) }

    private func read<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        try run.read(type, as: shape.part(key.stringValue))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let part = shape.part(key.stringValue)
        try run.describe(type, as: part)
        run.optionals.insert(part.place)
        try run.ask(part.place, for: type)
        return nil
    }

    private func probe(_ key: any CodingKey) -> SchemaProbe {
        SchemaProbe(run: run, shape: shape.part(key.stringValue))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try probe(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try probe(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { probe(JSONNodeKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { probe(key) }
}

private struct ProbedElements: UnkeyedDecodingContainer {
    let run: SchemaRun
    let shape: SchemaRun.Shape
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }

    init(run: SchemaRun, shape: SchemaRun.Shape) { (self.run, self.shape) = (run, shape) }

    var isAtEnd: Bool {
        shape.isReadToEnd = true
        return currentIndex >= run.plan.length
    }

    private mutating func next() throws -> SchemaProbe {
        // Whoever does not look for the end in time reads a list of a certain length, or would never stop.
        guard currentIndex < 64 else { throw SchemaRun.Nothing() }
        defer { currentIndex += 1 }
        return SchemaProbe(run: run, shape: shape.part(String(currentIndex)))
    }

    mutating func decodeNil() throws -> Bool {
        let place = "\(shape.place)/\(currentIndex)"
        run.comparedPlaces.insert(place)
        guard run.plan.null == place else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try run.read(type, as: next().shape) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try run.read(type, as: next().shape) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try run.read(type, as: next().shape)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }
}
