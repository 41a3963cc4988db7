import Binding
import ViewModels

/// Says whether an ID and a password were entered, and what is missing.
///
/// Nothing that was typed is kept: the model is the outcome alone.
public final class LoginViewModel: ViewModel {
    /// What the latest validation found; nil before the first.
    public struct Model: StoredModel {
        /// The outcome.
        public var outcome: LoginOutcome?
        /// Begins before the first validation.
        public init() {}
    }

    /// What was typed; missing and null are the same.
    public struct Credentials: Codable, Sendable {
        /// The ID field's text.
        public var id: String?
        /// The password field's text.
        public var password: String?
        /// Takes the fields' texts.
        public init(id: String? = nil, password: String? = nil) {
            self.id = id
            self.password = password
        }
    }

    /// The colour of the text.
    public enum Color: String, Codable, Sendable, CaseIterable {
        /// Nothing is missing.
        case green
        /// Something is missing.
        case red
    }

    /// The login's outputs and action.
    public static let interface = Interface<LoginViewModel>("login", "Says what is missing of an ID and a password.") {
        Output("text", \.text, "What to tell the user, in the session's language.")
        Output("color", \.color, "The colour of the text; null before the first validation.")
        Action(
            "validate", "Checks an ID and a password; neither is kept.",
            example: Credentials(id: "taro", password: "himitsu"), LoginViewModel.validate)
    }

    // Inputs

    /// Checks what was typed.
    public func validate(_ credentials: Credentials) {
        model.outcome = validator.validate(id: credentials.id, password: credentials.password)
        shownText.update(to: Self.text(of: model.outcome, in: language))
        shownColor.update(to: Self.color(of: model.outcome))
    }

    // Outputs

    /// What to tell the user.
    public let text: Constant<String>
    /// The colour of the text.
    public let color: Constant<Color?>

    // Wiring

    /// The outcome, to rebuild the login from.
    public private(set) var model: Model
    private let language: Language
    private let validator: any LoginValidating
    private let shownText: Variable<String>
    private let shownColor: Variable<Color?>

    /// Begins at an outcome, by default before the first validation.
    public init(
        model: Model = Model(), language: Language = .japanese, validator: any LoginValidating = LoginValidator()
    ) {
        self.model = model
        self.language = language
        self.validator = validator
        shownText = Variable(Self.text(of: model.outcome, in: language))
        shownColor = Variable(Self.color(of: model.outcome))
        text = Constant(shownText)
        color = Constant(shownColor)
    }

    private static func color(of outcome: LoginOutcome?) -> Color? { outcome.map { $0 == .ok ? .green : .red } }

    private static func text(of outcome: LoginOutcome?, in language: Language) -> String {
        switch (outcome, language == .japanese) {
        case (nil, true): "IDとPasswordを入力してください。"
        case (nil, false): "Enter your ID and password."
        case (.ok, _): "OK!!!"
        case (.invalidIdAndPassword, true): "IDとPasswordが未入力です。"
        case (.invalidIdAndPassword, false): "ID and password are missing."
        case (.invalidId, true): "IDが未入力です。"
        case (.invalidId, false): "ID is missing."
        case (.invalidPassword, true): "Passwordが未入力です。"
        case (.invalidPassword, false): "Password is missing."
        }
    }
}
