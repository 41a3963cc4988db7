/// What a validation of an ID and a password found.
public enum LoginOutcome: String, Codable, Sendable, CaseIterable {
    /// Both were entered.
    case ok
    /// Neither was.
    case invalidIdAndPassword
    /// The ID is missing.
    case invalidId
    /// The password is missing.
    case invalidPassword
}
