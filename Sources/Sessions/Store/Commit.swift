import ViewModels

/// One step of a session, to be stored whole or not at all.
public struct Commit: Sendable {
    /// The session.
    public let id: SessionID
    /// The commit it stands on: nil for the creation of the session.
    public let base: Cursor?
    /// The place in the feed it leads to.
    public let cursor: Cursor
    /// The session's language.
    public let language: Language
    /// The view models it changes, each whole; those it does not name stay as they are.
    public let viewModels: [ViewModelRecord]

    /// Describes a step.
    public init(
        id: SessionID, base: Cursor?, cursor: Cursor, language: Language, viewModels: [ViewModelRecord]
    ) {
        self.id = id
        self.base = base
        self.cursor = cursor
        self.language = language
        self.viewModels = viewModels
    }
}
