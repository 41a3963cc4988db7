import ViewModels

/// All that is kept of a session.
public struct SessionRecord: Equatable, Sendable {
    /// Where it stands.
    public var head: SessionHead
    /// The language its view models speak.
    public var language: Language
    /// When it ends if nobody uses it; nil for never.
    public var end: SessionEnd?
    /// What the others show, by the build that committed last.
    public var beginnings: Beginnings
    /// The view models that were ever changed, by name.
    public var viewModels: [String: ViewModelRecord]
    /// The latest outcomes of requests with an idempotency key, oldest first.
    public var outcomes: [RememberedOutcome]

    /// Describes a session.
    public init(
        head: SessionHead, language: Language, end: SessionEnd? = nil, beginnings: Beginnings = Beginnings(),
        viewModels: [String: ViewModelRecord] = [:], outcomes: [RememberedOutcome] = []
    ) {
        self.head = head
        self.language = language
        self.end = end
        self.beginnings = beginnings
        self.viewModels = viewModels
        self.outcomes = outcomes
    }
}
