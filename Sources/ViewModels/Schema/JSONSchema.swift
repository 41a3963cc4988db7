import Locking

/// The shape of a JSON value, as much of JSON Schema 2020-12 as a Codable type can say of itself.
///
/// None, said at the start where a type says it of itself, are: a member or a choice that is there twice, a choice of nothing, an
/// empty name, a name for itself and nothing else, a reference to what is not around it, a number below 0, or none, for the largest one.
public indirect enum JSONSchema: Hashable, Sendable {
    /// Text.
    case string
    /// Text in a format.
    case formatted(Format)
    /// Text that is one of a few values.
    case oneOf([String])
    /// A whole number that is one of a few.
    case oneOfIntegers([Int128])
    /// A whole number within bounds.
    case integer(ClosedRange<Int128>)
    /// A number of at most this magnitude, as ``number(as:)`` says it of a type.
    case number(Double)
    /// A moment, as ``JSON`` writes it: a number of seconds.
    case date
    /// True or false.
    case boolean
    /// A list of values of one shape.
    case array(JSONSchema)
    /// A list of as many values as there are shapes.
    case tuple([JSONSchema])
    /// A list of keys and values by turns, as dictionaries are written whose keys are neither texts nor numbers.
    case pairs(JSONSchema, JSONSchema)
    /// An object with any members of one shape, whose names are texts or numbers of another.
    case dictionary(JSONSchema, names: JSONSchema = .string)
    /// An object with known members.
    case object([Member])
    /// An object with one of these members, as enumerations are written whose cases hold values.
    case choice([Member])
    /// The shape, or null.
    case nullable(JSONSchema)
    /// The shape of a type that contains itself, with the type's name.
    case named(String, JSONSchema)
    /// The shape around it that has this name.
    case reference(String)
    /// Any value: for a type that reads and writes whatever JSON there is.
    case anything

    /// What texts a type is written as.
    public enum Format: Hashable, Sendable {
        /// A `UUID`.
        case uuid
        /// A `URL`, which may be relative (RFC 3986, section 4.1).
        case url
        /// Bytes in base64 (RFC 4648, section 4).
        case base64
    }

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let name: String
        /// The shape of its value.
        public let schema: JSONSchema
        /// Whether an object without it has the wrong shape.
        public let isRequired: Bool
        /// What it means, one sentence; empty where its type does not say.
        public let summary: String

        /// Describes a member.
        public init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true, summary: String = "") {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
            self.summary = summary
        }
    }

    private static let known = Lock<[ObjectIdentifier: JSONSchema]>([:])

    /// The shape of what a type is read from.
    ///
    /// A type that is ``SchemaDescribing`` says it; of any other the shape is found by asking its `init(from:)` what it
    /// would read. An optional member may be missing or null.
    ///
    /// - Throws: ``SchemaFault`` where that cannot be told.
    public init<Value: Decodable>(of type: Value.Type) throws(SchemaFault) {
        if let search = SchemaSearch.current {
            self = try search.result(of: type).get()
        } else if let known = Self.known.withLock({ $0[ObjectIdentifier(type)] }) {
            self = known
        } else {
            self = try SchemaSearch().result(of: type).get()
            keep(of: type)
        }
    }

    /// Keeps the shape of a type, as the search for it takes a while.
    func keep(of type: any Any.Type) { Self.known.withLock { $0[ObjectIdentifier(type)] = self } }

    /// Without null for members that may be missing.
    package var written: JSONSchema {
        func written(_ members: [Member]) -> [Member] {
            members.map { member in
                var schema = member.schema
                if !member.isRequired, case .nullable(let inner) = schema { schema = inner }
                return Member(member.name, schema.written, isRequired: member.isRequired, summary: member.summary)
            }
        }
        return switch self {
        case .object(let members): .object(written(members))
        case .choice(let members): .choice(written(members))
        default: mapParts(\.written)
        }
    }

    /// The names around it that it refers to.
    var references: Set<String> {
        switch self {
        case .reference(let name): [name]
        case .named(let name, let schema): schema.references.subtracting([name])
        default: parts.reduce(into: []) { $0.formUnion($1.references) }
        }
    }

    var isNullable: Bool { if case .nullable = self { true } else { false } }

    /// Whether null is a value of it, whatever is around it.
    package var takesNull: Bool {
        switch self {
        case .nullable, .anything: true
        case .named(_, let schema): schema.takesNull
        default: false
        }
    }

    /// Whether its numbers are those of a `Float`, or of a narrower type.
    package var isSinglePrecision: Bool {
        // Float16 is not on every platform.
        if case .number(65504) = self { true } else { self == .number(as: Float.self) }
    }

    /// The numbers that a type holds.
    public static func number<Number: BinaryFloatingPoint>(as type: Number.Type) -> JSONSchema {
        // As it is written: the shortest text that is read as the largest `Float` stands for a little more.
        .number(Double("\(type.greatestFiniteMagnitude)") ?? Double(type.greatestFiniteMagnitude))
    }

    /// The whole numbers that a type holds.
    public static func range<Number: FixedWidthInteger>(of type: Number.Type) -> ClosedRange<Int128> {
        Int128(clamping: type.min)...Int128(clamping: type.max)
    }

    /// What a value of the shape is, in a sentence that begins with "must be".
    var inWords: String {
        switch self {
        case .string: "a string"
        case .formatted(.uuid): "a UUID"
        case .formatted(.url): "a URL"
        case .formatted(.base64): "text in base64 (RFC 4648, section 4)"
        case .oneOf(let choices): "one of \(choices.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .oneOfIntegers(let choices): "one of \(choices.map(String.init).joined(separator: ", "))"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "a number"
        case .date: "a number of seconds since 2001-01-01T00:00:00Z"
        case .boolean: "true or false"
        case .array: "a list"
        case .tuple(let elements): "a list of \(elements.count)"
        case .pairs: "a list of keys and values by turns"
        case .dictionary, .object: "an object"
        case .choice(let members): "an object with one of \(members.map { "\"\($0.name)\"" }.joined(separator: ", "))"
        case .nullable(let schema): "\(schema.inWords) or null"
        case .named(_, let schema): schema.inWords
        case .reference, .anything: "a value"
        }
    }
}
