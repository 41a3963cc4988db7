import Foundation

/// The shape of a JSON value, as far as a Codable type shows it.
public indirect enum JSONSchema: Hashable, Sendable {
    /// Text.
    case string
    /// A `UUID` as text.
    case uuid
    /// A `URL` as text; it may be relative (RFC 3986, section 4.1).
    case url
    /// Bytes as text in base64 (RFC 4648, section 4).
    case base64
    /// One of a few texts.
    case oneOf([String])
    /// A whole number in a range.
    case integer(ClosedRange<Int128>)
    /// One of a few whole numbers.
    case oneOfIntegers([Int128])
    /// Any finite number.
    case number
    /// A moment: the number of seconds since 2001-01-01T00:00:00Z.
    case date
    /// True or false.
    case boolean
    /// A list of values of one shape.
    case array(JSONSchema)
    /// An object whose members have any names and values of one shape.
    case dictionary(JSONSchema)
    /// An object with known members.
    case object([Member])
    /// A value of any of these shapes, such as an enumeration with payloads.
    case anyOf([JSONSchema])
    /// The shape, or null.
    case nullable(JSONSchema)
    /// Any value.
    case anything

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let name: String
        /// The shape of its value.
        public let schema: JSONSchema
        /// Whether the object must have the member.
        public let isRequired: Bool

        /// Describes a member.
        public init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true) {
            (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
        }
    }

    /// The shape of a type's values.
    ///
    /// A ``SchemaDescribing`` type declares its shape. For other types, a decoder runs `init(from:)` once and records
    /// the members that it reads.
    ///
    /// - Throws: ``DeclarationFault`` if the decoder cannot find the shape in this way.
    public init<Value: Decodable>(of type: Value.Type) throws {
        self = try SchemaProbe.find(type).0
    }

    /// The shape, or null; a nullable shape stays the same.
    var orNull: JSONSchema { if case .nullable = self { self } else { .nullable(self) } }

    /// The shape in words that follow "must be".
    package var words: String {
        switch self {
        case .string: "a string"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .base64: "text in base64 (RFC 4648, section 4)"
        case .oneOf(let texts): "one of " + texts.map { "\"\($0)\"" }.joined(separator: ", ")
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .oneOfIntegers(let numbers): "one of " + numbers.map(String.init).joined(separator: ", ")
        case .number: "a number"
        case .date: "a number of seconds since 2001-01-01T00:00:00Z"
        case .boolean: "true or false"
        case .array: "a list"
        case .dictionary, .object: "an object"
        case .anyOf(let schemas):
            Set(schemas.map(\.words)).sorted().joined(separator: " or ")
        case .nullable(let schema): "\(schema.words) or null"
        case .anything: "a JSON value"
        }
    }

    /// Finds the first place of another shape, or an unknown member.
    package func check(_ value: JSONValue, at path: [String] = []) throws(InputFault) {
        switch (self, value) {
        case (.anything, _), (.nullable, .null): break
        case (.nullable(let schema), _):
            do { try schema.check(value, at: path) } catch {
                // A deeper fault says more.
                throw error.depth > path.count ? error : InputFault(path: path, "must be \(words)")
            }
        case (.anyOf(let schemas), _):
            var closest: InputFault?
            for schema in schemas {
                do { return try schema.check(value, at: path) } catch
                    where error.depth > closest?.depth ?? path.count + 1
                {
                    closest = error
                } catch {}
            }
            throw closest ?? InputFault(path: path, "must be \(words)")
        case (.array(let schema), .array(let elements)):
            for (place, element) in elements.enumerated() { try schema.check(element, at: path + [String(place)]) }
        case (.dictionary(let schema), .object(let object)):
            for name in object.names { try schema.check(object[name] ?? .null, at: path + [name]) }
        case (.object(let members), .object(let object)):
            for member in members {
                let path = path + [member.name]
                if let value = object[member.name] {
                    try member.schema.check(value, at: path)
                } else if member.isRequired {
                    throw InputFault(path: path, "is missing; it must be \(member.schema.words)")
                }
            }
            if let other = object.names.first(where: { name in !members.contains { $0.name == name } }) {
                let known = members.isEmpty ? "none" : members.map(\.name).joined(separator: ", ")
                throw InputFault(path: path + [other], "is unknown; known members: \(known)")
            }
        default: if !hasScalar(value) { throw InputFault(path: path, "must be \(words)") }
        }
    }

    private func hasScalar(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.boolean, .boolean): true
        case (.uuid, _): UUID.read(value) != nil
        case (.url, _): URL.read(value) != nil
        case (.base64, _): Data.read(value) != nil
        case (.oneOf(let texts), .string(let text)): texts.contains { $0.utf8.elementsEqual(text.utf8) }
        case (.number, _), (.date, _): Double.read(value) != nil
        case (.integer(let range), _): value.integer.map(range.contains) ?? false
        case (.oneOfIntegers(let numbers), _): value.integer.map(numbers.contains) ?? false
        default: false
        }
    }
}

/// A type that declares the shape of its JSON, because one run of its `init(from:)` does not show it.
///
/// Examples are enumerations with payloads, types that contain themselves, and types whose
/// `init(from:)` refuses values of the right shape.
/// ```swift
/// extension Percentage: SchemaDescribing {
///     static var jsonSchema: JSONSchema { .integer(0...100) }
///     static var schemaExample: Percentage { Percentage(50) }
/// }
/// ```
public protocol SchemaDescribing {
    /// The shape that `encode(to:)` writes and `init(from:)` reads. The server refuses a body of another shape.
    ///
    /// It may use `JSONSchema(of:)` for the types of its members, but not for a type that contains this one.
    static var jsonSchema: JSONSchema { get throws }
    /// Any value; the search for the schema of a containing type uses it.
    static var schemaExample: Self { get }
}

/// A type of the standard library or of Foundation whose schema is known.
protocol Shaped {
    /// Makes any value; the search for the schema of a containing type uses it.
    init()
    static var schema: JSONSchema { get throws }
}

extension Optional: Shaped where Wrapped: Decodable {
    init() { self = nil }
    static var schema: JSONSchema { get throws { try JSONSchema(of: Wrapped.self).orNull } }
}

extension Array: Shaped where Element: Decodable {
    static var schema: JSONSchema { get throws { .array(try naming("*") { try JSONSchema(of: Element.self) }) } }
}

extension Dictionary: Shaped where Key == String, Value: Decodable {
    static var schema: JSONSchema { get throws { .dictionary(try naming("*") { try JSONSchema(of: Value.self) }) } }
}
