import ViewModels

/// A body that a walk is to send, beside the declared example and what it makes up from the declared shape.
public struct SampleInput: Sendable {
    /// The action's name.
    public let action: String
    /// The body as JSON text.
    public let json: String

    /// Names an action, and the JSON text to send it.
    public init(_ action: String, json: String) {
        self.action = action
        self.json = json
    }
}
