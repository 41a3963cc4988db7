/// The shape of a JSON value, as much of JSON Schema 2020-12 as a Codable type can say of itself.
public indirect enum JSONSchema: Hashable, Sendable {
    /// Text.
    case string
    /// Text that is one of a few values.
    case oneOf([String])
    /// A whole number within bounds.
    case integer(ClosedRange<Int128>)
    /// A number of at most this magnitude.
    case number(Double)
    /// True or false.
    case boolean
    /// A list of values of one shape.
    case array(JSONSchema)
    /// An object with any members of one shape.
    case dictionary(JSONSchema)
    /// An object with known members.
    case object([Member])
    /// An object of whose members some are known, as its type told no more.
    case open([Member])
    /// The shape, or null.
    case nullable(JSONSchema)
    /// A shape its type does not tell.
    case anything

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let name: String
        /// The shape of its value.
        public let schema: JSONSchema
        /// Whether an object without it has the wrong shape.
        public let isRequired: Bool

        /// Describes a member.
        public init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
        }
    }

    /// The shape of a type's encoded values.
    ///
    /// A type that is ``SchemaDescribing`` says it; of any other the shape is found by asking its `init(from:)` what
    /// it would read.
    public init<Value: Decodable>(of type: Value.Type) {
        self = SchemaProbe.schema(of: type)
    }

    /// The numbers that a type holds.
    public static func number<Number: BinaryFloatingPoint>(as type: Number.Type) -> JSONSchema {
        .number(Double(type.greatestFiniteMagnitude))
    }

    /// The whole numbers that a type holds.
    public static func range<Number: FixedWidthInteger>(of type: Number.Type) -> ClosedRange<Int128> {
        Int128(clamping: type.min)...Int128(clamping: type.max)
    }

    /// What a value of the shape is, in a sentence that begins with "must be".
    var inWords: String {
        switch self {
        case .string: "a string"
        case .oneOf(let choices): "one of \(choices.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "a number"
        case .boolean: "true or false"
        case .array: "a list"
        case .dictionary, .object, .open: "an object"
        case .nullable(let schema): "\(schema.inWords) or null"
        case .anything: "of another shape"
        }
    }
}
