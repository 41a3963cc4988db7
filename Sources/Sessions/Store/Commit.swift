import ViewModels

/// One step of a session, to be stored whole or not at all.
///
/// A value that never changes, and a class all the same: it is passed on many times, and one reference costs less than those in it.
public final class Commit: Sendable {
    /// The session.
    public let id: SessionID
    /// The version it was made from, and stands on: nil for the creation of the session.
    public let base: CommitVersion?
    /// Where it leads to; the same place in the feed for a step that only remembers an outcome.
    public let head: SessionHead
    /// The session's language.
    public let language: Language
    /// When the session ends if nobody uses it; nil for never.
    public let end: SessionEnd?
    /// What untouched view models show in the build that made the step; nil where the store knows it.
    public let beginnings: Beginnings?
    /// The view models it changes, each whole; those it does not name stay as they are.
    public let viewModels: [ViewModelRecord]
    /// The outcome to be remembered with it until its end.
    public let outcome: RememberedOutcome?

    /// Describes a step.
    public init(
        id: SessionID, base: CommitVersion?, head: SessionHead, language: Language, end: SessionEnd? = nil,
        beginnings: Beginnings? = nil, viewModels: [ViewModelRecord] = [], outcome: RememberedOutcome? = nil
    ) {
        self.id = id
        self.base = base
        self.head = head
        self.language = language
        self.end = end
        self.beginnings = beginnings
        self.viewModels = viewModels
        self.outcome = outcome
    }
}
