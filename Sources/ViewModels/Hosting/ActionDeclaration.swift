/// What a view model says of one of its actions.
public struct ActionDeclaration: Sendable {
    /// The last segment of the action's path.
    public let name: Name
    /// What the action does.
    public let summary: String
    /// The body it takes; nil for none.
    public let input: ActionInput?
}
