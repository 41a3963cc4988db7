import Foundation

/// What a view model is given of the session it lives in.
///
/// Lives as long as the session's instance of the view model.
public struct ViewModelContext {
    /// The session's language, for outputs that are text.
    public let language: Language
    /// The session's own notification center, on which its view models' variables post.
    public let center: NotificationCenter

    /// Describes a session, also one made up by a test.
    public init(language: Language = .standard, center: NotificationCenter = NotificationCenter()) {
        self.language = language
        self.center = center
    }
}
