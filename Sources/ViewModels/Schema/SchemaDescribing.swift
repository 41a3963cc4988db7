/// A type that says the shape of its values as JSON, because one run of its `init(from:)` does not show it.
///
/// Such types are, for example, enumerations with payloads, types that contain themselves, and types whose
/// `init(from:)` refuses values of the right shape.
/// ```swift
/// extension Percentage: SchemaDescribing {
///     static var jsonSchema: JSONSchema { .integer(0...100) }
///     static var schemaExample: Percentage { Percentage(50) }
/// }
/// ```
public protocol SchemaDescribing {
    /// The shape that `encode(to:)` writes and `init(from:)` reads. A body of another shape is refused.
    ///
    /// It may use `JSONSchema(of:)` for the types of its members, but not for a type that holds this one.
    static var jsonSchema: JSONSchema { get throws }
    /// Any value; a search for the schema of a type that holds this one goes on with it.
    static var schemaExample: Self { get }
}

/// The reason why a type does not show its schema.
public struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names that lead to the type, as `lines/*/state`: an asterisk for any element of a list or a dictionary.
    public internal(set) var path: [String] = []
    /// The type.
    public let type: String
    /// The error and what to do, as the end of a sentence that begins with the type.
    public let complaint: String

    init(_ type: any Any.Type, _ complaint: String) {
        self.type = String(describing: type)
        self.complaint = "\(complaint). Conform it to SchemaDescribing"
    }

    /// Puts the name of a member before the way to the type.
    static func at<Found>(_ place: String?, _ find: () throws -> Found) throws -> Found {
        do { return try find() } catch var fault as SchemaFault {
            if let place { fault.path.insert(place, at: 0) }
            throw fault
        }
    }

    /// One line for a terminal.
    public var description: String { (path.isEmpty ? "" : path.joined(separator: "/") + ": ") + "\(type) \(complaint)" }
}
