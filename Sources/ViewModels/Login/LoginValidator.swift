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
