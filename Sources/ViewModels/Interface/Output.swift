import Binding

/// A named, typed value of a view model's presentation state.
public struct Output<Owner: ViewModel>: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: Name
    /// One sentence on what the value means, shown in the OpenAPI description.
    public let summary: String
    /// The shape of the encoded value.
    public let schema: JSONSchema
    /// The value as JSON text.
    let encode: @Sendable (Owner) throws -> [UInt8]
    /// Which variable holds it; nil for a plain property, which is compared instead.
    let variable: (@Sendable (Owner) -> any ReadableVariable)?

    /// Declares an output held in a variable, or in a constant, its read-only face.
    ///
    /// - Parameters:
    ///   - path: where the view model keeps it; the same object for the view model's whole life.
    ///   - summary: what the value means, one sentence.
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Owner, some ReadableVariable<Value>> & Sendable, _ summary: String = ""
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        schema = JSONSchema(of: Value.self)
        encode = { try JSON.encode($0[keyPath: path].value) }
        variable = { $0[keyPath: path] }
    }

    /// Declares an output that is a plain property: stored, computed, or observed as `@Observable` classes have them.
    ///
    /// It posts nothing; it is encoded and compared after each turn in which its view model acted.
    public init<Value: Codable & Sendable>(
        _ name: String, _ path: KeyPath<Owner, Value> & Sendable, _ summary: String = ""
    ) {
        self.name = Name(declared: name)
        self.summary = summary
        schema = JSONSchema(of: Value.self)
        encode = { try JSON.encode($0[keyPath: path]) }
        variable = nil
    }
}
