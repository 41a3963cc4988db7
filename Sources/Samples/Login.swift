import ViewModels

/// Checks whether the user entered an ID and a password, and names the missing one.
///
/// It stores the outcome and no input.
public struct Login: ViewModel {
    /// The rule, from the registration.
    public typealias Services = any LoginValidating

    /// The input; missing and null are the same.
    public struct Credentials: Codable, Sendable {
        var id: String?
        var password: String?

        /// Takes the texts of the two fields; nil stands for a field without input.
        public init(id: String? = nil, password: String? = nil) { (self.id, self.password) = (id, password) }
    }

    /// The colour of the text.
    public enum Color: String, Codable, Sendable, CaseIterable {
        /// Nothing is missing.
        case green
        /// Something is missing.
        case red
    }

    /// The outcome of the latest validation; nil before the first.
    public var outcome: LoginOutcome?

    /// Makes the state before the first validation.
    public init() {}

    /// The colour of the text; nil before the first validation.
    public var color: Color? { outcome.map { $0 == .ok ? .green : .red } }

    /// The text for the user.
    public func text(in language: Language) -> String {
        let (japanese, english) =
            switch outcome {
            case nil: ("IDとPasswordを入力してください。", "Enter your ID and password.")
            case .ok: ("OK!!!", "OK!!!")
            case .invalidIdAndPassword: ("IDとPasswordが未入力です。", "ID and password are missing.")
            case .invalidId: ("IDが未入力です。", "ID is missing.")
            case .invalidPassword: ("Passwordが未入力です。", "Password is missing.")
            }
        return language == "ja" ? japanese : english
    }

    /// The login's outputs and action.
    public static let interface = Interface<Login>("login", "Says whether an ID or a password is missing.") {
        Output("text", "The text for the user, in the session's language.") { $0.text(in: $1.language) }
        Output("color", \.color, "The colour of the text; null before the first validation.")
        Action(
            "validate", "Checks an ID and a password; neither is kept.",
            example: Credentials(id: "taro", password: "himitsu")
        ) { login, credentials, context in
            login.outcome = context.services.validate(id: credentials.id, password: credentials.password)
        }
    }
}

/// The outcome of a validation.
public enum LoginOutcome: String, Codable, Sendable, CaseIterable {
    /// Both were entered.
    case ok
    /// Both are missing.
    case invalidIdAndPassword
    /// The ID is missing.
    case invalidId
    /// The password is missing.
    case invalidPassword
}

/// Checks an ID and a password; it must not keep or log them, and must be safe on any thread.
public protocol LoginValidating: Sendable {
    /// The outcome for two fields; nil stands for a field without input.
    func validate(id: String?, password: String?) -> LoginOutcome
}

/// The rule of the articles: if one field is nil, the outcome does not show whether the other one is empty.
public struct LoginValidator: LoginValidating {
    /// Makes the rule.
    public init() {}

    /// The outcome for two fields.
    public func validate(id: String?, password: String?) -> LoginOutcome {
        switch (id, password) {
        case (nil, nil), ("", ""): .invalidIdAndPassword
        case (nil, _): .invalidId
        case (_, nil): .invalidPassword
        case ("", _): .invalidId
        case (_, ""): .invalidPassword
        default: .ok
        }
    }
}
