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
