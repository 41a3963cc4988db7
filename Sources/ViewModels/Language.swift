/// A language in which view models can speak to a user.
///
/// Written as its primary subtag (RFC 5646, section 2.2.1).
public enum Language: String, Codable, Sendable, CaseIterable {
    /// Japanese, the default.
    case japanese = "ja"
    /// English.
    case english = "en"

    /// The language of a session that asks for none.
    public static let standard = Language.japanese
}
