import Foundation

/// A type that says what its encoded values look like.
///
/// An enumeration with text for raw values conforms by the word alone: `enum Colour: String, Codable, CaseIterable,
/// SchemaDescribing`.
public protocol SchemaDescribing {
    /// The shape of the type's encoded values.
    static var jsonSchema: JSONSchema { get }
}

extension SchemaDescribing where Self: CaseIterable & RawRepresentable, RawValue == String {
    /// One of the raw values.
    public static var jsonSchema: JSONSchema { .oneOf(allCases.map(\.rawValue)) }
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
extension UInt128: SchemaDescribing {}

extension SchemaDescribing where Self: BinaryFloatingPoint {
    /// A number.
    public static var jsonSchema: JSONSchema { .number(as: Self.self) }
}

extension Double: SchemaDescribing {}
extension Float: SchemaDescribing {}

extension Optional: SchemaDescribing where Wrapped: Decodable {
    /// The wrapped type's shape, or null.
    public static var jsonSchema: JSONSchema { .nullable(JSONSchema(of: Wrapped.self)) }
}

extension Array: SchemaDescribing where Element: Decodable {
    /// A list.
    public static var jsonSchema: JSONSchema { .array(JSONSchema(of: Element.self)) }
}

extension Dictionary: SchemaDescribing where Key == String, Value: Decodable {
    /// An object with any members.
    public static var jsonSchema: JSONSchema { .dictionary(JSONSchema(of: Value.self)) }
}

// Values that Foundation's coder does not write as their own encode(to:) says, or that no blank text can be read as.

extension Data: SchemaDescribing {
    /// Text, in base64.
    public static var jsonSchema: JSONSchema { .string }
}

extension Decimal: SchemaDescribing {
    /// A number.
    public static var jsonSchema: JSONSchema { .number(as: Double.self) }
}

extension URL: SchemaDescribing {
    /// Text.
    public static var jsonSchema: JSONSchema { .string }
}

extension UUID: SchemaDescribing {
    /// Text.
    public static var jsonSchema: JSONSchema { .string }
}

/// The values a ``SchemaProbe`` makes up so that an `init(from:)` reads on.
enum SchemaBlank {
    static func of<Value>(_ type: Value.Type) -> Value? {
        let blank: Any? =
            switch type {
            case let type as any ExpressibleByStringLiteral.Type where type == String.self: ""
            case is Bool.Type: false
            case let type as any FixedWidthInteger.Type: type.init(truncatingIfNeeded: 0)
            case let type as any BinaryFloatingPoint.Type: type.init(0)
            case let type as any ExpressibleByNilLiteral.Type: type.init(nilLiteral: ())
            case let type as any BlankMaking.Type: type.blank
            case let type as any CaseIterable.Type: firstCase(of: type)
            default: nil
            }
        return blank as? Value
    }

    private static func firstCase<Choice: CaseIterable>(of type: Choice.Type) -> Any? { type.allCases.first }
}

private protocol BlankMaking { static var blank: Self { get } }
extension Array: BlankMaking { fileprivate static var blank: [Element] { [] } }
extension Dictionary: BlankMaking { fileprivate static var blank: [Key: Value] { [:] } }
// Of these, none can be read from an empty text.
extension Data: BlankMaking { fileprivate static var blank: Data { Data() } }
extension Decimal: BlankMaking { fileprivate static var blank: Decimal { 0 } }
extension UUID: BlankMaking { fileprivate static var blank: UUID { UUID() } }
extension URL: BlankMaking { fileprivate static var blank: URL { URL(filePath: "/") } }
