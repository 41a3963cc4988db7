import Foundation

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
