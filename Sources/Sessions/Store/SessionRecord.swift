import ViewModels

/// All that is kept of a session.
public struct SessionRecord: Equatable, Sendable {
    /// The incarnation of the session.
    public var epoch: Epoch
    /// The number of its latest commit.
    public var seq: UInt64
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
        epoch: Epoch, seq: UInt64, language: Language, end: SessionEnd? = nil,
        beginnings: Beginnings = Beginnings(), viewModels: [String: ViewModelRecord] = [:],
        outcomes: [RememberedOutcome] = []
    ) {
        self.epoch = epoch
        self.seq = seq
        self.language = language
        self.end = end
        self.beginnings = beginnings
        self.viewModels = viewModels
        self.outcomes = outcomes
    }
}
