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
    /// How many outcomes of requests with an idempotency key the store had that were not to be forgotten yet.
    public var keys: Int

    /// Describes a session.
    public init(
        head: SessionHead, language: Language, end: SessionEnd? = nil, beginnings: Beginnings = Beginnings(),
        viewModels: [String: ViewModelRecord] = [:], keys: Int = 0
    ) {
        self.head = head
        self.language = language
        self.end = end
        self.beginnings = beginnings
        self.viewModels = viewModels
        self.keys = keys
    }
}
