import Foundation

/// A type that says the shape of its values as JSON, where its `init(from:)` does not tell.
///
/// What `encode(to:)` writes has that shape, and a body of another one is refused, also where `init(from:)` would take it. Of a type that
/// does not say its shape, a body is what its `init(from:)` takes, and reads: of a list what is behind that is refused.
public protocol SchemaDescribing {
    /// What `encode(to:)` writes, and `init(from:)` takes. Make it a computed property where it asks for the shape of a type that
    /// may hold this one: the answer depends on the types around.
    static var jsonSchema: JSONSchema { get throws }
    /// A value as JSON text, such as `"\"978-3-16-148410-0\""`, of a type that does not take all that has its shape: without one,
    /// the shape of what holds the type is not known. Empty, where nothing is said.
    static var jsonExample: String { get }
}

extension SchemaDescribing {
    /// None.
    public static var jsonExample: String { "" }
}

/// A type that says what its members mean, for the OpenAPI description.
///
/// ```swift
/// struct Entry: Codable, MemberSummarizing {
///     var title: String
///     static let memberSummaries = ["title": "At most 80 letters."]
/// }
/// ```
public protocol MemberSummarizing {
    /// A sentence for each member that needs one, by the name by which the member is encoded.
    static var memberSummaries: [String: String] { get }
}

extension String: SchemaDescribing {
    /// Text.
    public static var jsonSchema: JSONSchema { .string }
}

extension Bool: SchemaDescribing {
    /// True or false.
    public static var jsonSchema: JSONSchema { .boolean }
}

extension SchemaDescribing where Self: FixedWidthInteger {
    /// A whole number that the type holds.
    public static var jsonSchema: JSONSchema { .integer(JSONSchema.range(of: Self.self)) }
}

extension Int: SchemaDescribing {}
extension Int8: SchemaDescribing {}
extension Int16: SchemaDescribing {}
extension Int32: SchemaDescribing {}
extension Int64: SchemaDescribing {}
extension UInt: SchemaDescribing {}
extension UInt8: SchemaDescribing {}
extension UInt16: SchemaDescribing {}
extension UInt32: SchemaDescribing {}
extension UInt64: SchemaDescribing {}
extension Int128: SchemaDescribing {}

extension UInt128: SchemaDescribing {
    /// None: its numbers are larger than a bound can be.
    public static var jsonSchema: JSONSchema {
        get throws { throw SchemaFault(Self.self, "is wider than a bound can be told: take UInt64, or a text") }
    }
}

extension SchemaDescribing where Self: BinaryFloatingPoint {
    /// A number.
    public static var jsonSchema: JSONSchema { .number(as: Self.self) }
}

extension Double: SchemaDescribing {}
extension Float: SchemaDescribing {}
#if !(os(macOS) && arch(x86_64))
    extension Float16: SchemaDescribing {}
#endif

extension SchemaDescribing where Self: SIMD {
    /// A list of as many numbers as it has.
    public static var jsonSchema: JSONSchema {
        get throws { .tuple(Array(repeating: try JSONSchema(of: Scalar.self), count: scalarCount)) }
    }
}

extension SIMD2: SchemaDescribing {}
extension SIMD3: SchemaDescribing {}
extension SIMD4: SchemaDescribing {}
extension SIMD8: SchemaDescribing {}
extension SIMD16: SchemaDescribing {}
extension SIMD32: SchemaDescribing {}
extension SIMD64: SchemaDescribing {}

extension Optional: SchemaDescribing where Wrapped: Decodable {
    /// The wrapped type's shape, or null.
    public static var jsonSchema: JSONSchema {
        get throws {
            let schema = try JSONSchema(of: Wrapped.self)
            return schema.isNullable ? schema : .nullable(schema)
        }
    }
}

extension Array: SchemaDescribing where Element: Decodable {
    /// A list.
    public static var jsonSchema: JSONSchema { get throws { .array(try .element(Element.self)) } }
}

extension Set: SchemaDescribing where Element: Decodable {
    /// A list.
    public static var jsonSchema: JSONSchema { get throws { .array(try .element(Element.self)) } }
}

extension Dictionary: SchemaDescribing where Key: Decodable, Value: Decodable {
    /// An object with any members; a list of keys and values by turns where the keys cannot be names.
    public static var jsonSchema: JSONSchema {
        get throws {
            let value = try JSONSchema.element(Value.self)
            if Key.self == String.self { return .dictionary(value) }
            let key = try JSONSchema.element(Key.self)
            if Key.self == Int.self { return .dictionary(value, names: key) }
            guard Key.self is any CodingKeyRepresentable.Type else { return .pairs(key, value) }
            switch key {
            // The names that such a type makes are most likely those that it is written as, which is not said anywhere.
            case .string, .oneOf: return .dictionary(value, names: key)
            default:
                throw SchemaFault(
                    Key.self,
                    "makes names that it does not tell; take String, Int or an enumeration of texts for the keys")
            }
        }
    }
}

extension JSONSchema {
    /// The shape of a type of which there may be many.
    fileprivate static func element<Element: Decodable>(_ type: Element.Type) throws(SchemaFault) -> JSONSchema {
        do { return try JSONSchema(of: type) } catch { throw error.within("*") }
    }
}

// Values that Foundation's coder does not write as their own encode(to:) says.

extension Data: SchemaDescribing {
    /// Text, in base64.
    public static var jsonSchema: JSONSchema { .formatted(.base64) }
}

extension Date: SchemaDescribing {
    /// A number of seconds.
    public static var jsonSchema: JSONSchema { .date }
}

extension Decimal: SchemaDescribing {
    /// A number; one that is larger is not read.
    public static var jsonSchema: JSONSchema { .number(1e127) }
}

extension URL: SchemaDescribing {
    /// Text.
    public static var jsonSchema: JSONSchema { .formatted(.url) }
}

extension UUID: SchemaDescribing {
    /// Text.
    public static var jsonSchema: JSONSchema { .formatted(.uuid) }
}

extension Never: SchemaDescribing {
    /// None: there is no such value.
    public static var jsonSchema: JSONSchema {
        get throws { throw SchemaFault(Self.self, "has no value: leave out the case or the member that holds it") }
    }
}

// Types of Foundation that end the process where they are read from what they did not write, as a caller could send it. A stored
// model may hold them.

extension IndexSet: SchemaDescribing {
    /// None: it traps on numbers that are no ranges.
    public static var jsonSchema: JSONSchema { get throws { throw SchemaFault(Self.self, trapping: "[Int]") } }
}

extension CharacterSet: SchemaDescribing {
    /// None: it traps on bytes that are no set.
    public static var jsonSchema: JSONSchema { get throws { throw SchemaFault(Self.self, trapping: "String") } }
}

extension URLComponents: SchemaDescribing {
    /// None: it traps on a scheme, a port and other parts that are none.
    public static var jsonSchema: JSONSchema { get throws { throw SchemaFault(Self.self, trapping: "URL") } }
}

extension SchemaFault {
    fileprivate init(_ type: any Any.Type, trapping other: String) {
        self.init(type, "ends the process where it is read from what it did not write: take \(other) instead")
    }
}
