/// The shape of a JSON value, as much of JSON Schema 2020-12 as a Codable type can say of itself.
public indirect enum JSONSchema: Hashable, Sendable {
    /// Text.
    case string
    /// Text that is one of a few values.
    case oneOf([String])
    /// A whole number.
    case integer
    /// Any finite number.
    case number
    /// True or false.
    case boolean
    /// A list of values of one shape.
    case array(JSONSchema)
    /// An object with any members of one shape.
    case dictionary(JSONSchema)
    /// An object with known members.
    case object([Member])
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

    /// What JSON calls a Swift type, for a message to the caller.
    static func typeName(of type: Any.Type) -> String {
        guard let type = type as? any SchemaDescribing.Type else { return "an object or array" }
        return switch type.jsonSchema {
        case .string, .oneOf: "string"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .array: "array"
        case .dictionary, .object: "object"
        case .nullable, .anything: "declared"
        }
    }
}
