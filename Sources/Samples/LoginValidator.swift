import ViewModels

/// The rule of the articles: whatever is entered will do, but a field that was touched counts for more than one that
/// was not.
public struct LoginValidator: LoginValidating {
    /// Makes the validator.
    public init() {}

    /// The outcome for what was typed.
    public func validate(id: String?, password: String?) -> LoginOutcome {
        switch (id, password) {
        case (nil, nil): .invalidIdAndPassword
        case (nil, _): .invalidId
        case (_, nil): .invalidPassword
        case (let id?, let password?):
            switch (id.isEmpty, password.isEmpty) {
            case (true, true): .invalidIdAndPassword
            case (true, false): .invalidId
            case (false, true): .invalidPassword
            case (false, false): .ok
            }
        }
    }
}

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

/// Judges an ID and a password.
///
/// A ``LoginViewModel`` is given one when it is made, so that a test or an application can put its own in. It must
/// neither keep nor log what it is shown, and be safe from any thread.
public protocol LoginValidating: Sendable {
    /// The outcome for what was typed; nil stands for a field that was never touched.
    func validate(id: String?, password: String?) -> LoginOutcome
}
