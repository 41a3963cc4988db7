/// What a view model says of one of its outputs.
public struct OutputDeclaration: Sendable {
    /// The member's name in the view model's JSON object.
    public let name: Name
    /// What the value means.
    public let summary: String
    /// The shape of the value.
    public let schema: JSONSchema
}
