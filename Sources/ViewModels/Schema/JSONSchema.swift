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

extension JSONSchema {
    /// Where a value has another shape, and what should be there.
    package struct Mismatch: Hashable, Sendable {
        /// What is wrong there, in a sentence that follows the name of the place; never holds what is there.
        package let complaint: String
        /// From there outwards: at its end a name is added without copying the others.
        private var trail: [String] = []

        /// The names of the members and the places in lists that lead there.
        package var path: [String] { trail.reversed() }

        fileprivate init(_ complaint: String) { self.complaint = complaint }

        fileprivate consuming func within(_ name: String) -> Mismatch {
            trail.append(name)
            return self
        }
    }

    /// The first part of JSON text that has another shape, as the type declares its members; nil where all of it fits.
    ///
    /// - Throws: what tells that it is no JSON text.
    package func mismatch(inText text: [UInt8]) throws -> Mismatch? { mismatch(in: try JSONGrammar.read(text)) }

    func mismatch(in node: JSONNode) -> Mismatch? {
        switch (self, node) {
        case (.anything, _), (.string, .string), (.boolean, .boolean), (.nullable, .null): nil
        case (.nullable(let schema), _):
            schema.mismatch(in: node).map { $0.path.isEmpty ? Mismatch("\($0.complaint) or null") : $0 }
        case (_, .null): Mismatch("must not be null; it must be \(inWords)")
        case (.number(let largest), .number(let number)):
            (number.real(as: Double.self)?.magnitude ?? .infinity) <= largest
                ? nil : Mismatch("must be a number from \(-largest) to \(largest)")
        case (.integer(let range), .number(let number))
        where number.whole(as: Int128.self).map(range.contains) == true: nil
        case (.oneOf(let choices), .string(let text))
        where choices.contains { $0.utf8.elementsEqual(text.utf8) }: nil
        case (.array(let element), .array(let values)): Self.mismatch(in: values, each: element)
        case (.dictionary(let element), .object(let members)): Self.mismatch(in: members, each: element)
        case (.object(let declared), .object(let members)), (.open(let declared), .object(let members)):
            Self.mismatch(in: members, declared: declared)
        default: Mismatch("must be \(inWords)")
        }
    }

    private static func mismatch(in members: JSONNode.Members, declared: [Member]) -> Mismatch? {
        for member in declared {
            if let value = members[member.name] {
                if let mismatch = member.schema.mismatch(in: value) { return mismatch.within(member.name) }
            } else if member.isRequired {
                return Mismatch("is missing; it must be \(member.schema.inWords)").within(member.name)
            }
        }
        return nil
    }

    private static func mismatch(in members: JSONNode.Members, each schema: JSONSchema) -> Mismatch? {
        for name in members.names {
            if let mismatch = members[name].flatMap(schema.mismatch) { return mismatch.within(name) }
        }
        return nil
    }

    private static func mismatch(in values: [JSONNode], each schema: JSONSchema) -> Mismatch? {
        for (place, value) in values.enumerated() {
            if let mismatch = schema.mismatch(in: value) { return mismatch.within(String(place)) }
        }
        return nil
    }
}
