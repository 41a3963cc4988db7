/// What a consumer asks of a change feed.
///
/// Two consumers with equal queries are given the very same answer.
public struct FeedQuery: Hashable, Sendable {
    /// The place up to which the consumer knows everything; nil for one that knows nothing.
    public var since: Cursor?
    /// The outputs it wants to hear of; nil for all.
    public var topics: OutputSet?
    /// Whether it wants the values, or only to be told.
    public var includesValues: Bool

    /// Asks for what came after a place.
    public init(since: Cursor? = nil, topics: OutputSet? = nil, includesValues: Bool = true) {
        self.since = since
        self.topics = topics
        self.includesValues = includesValues
    }

    func wants(_ output: Int) -> Bool { topics?.contains(output) ?? true }
}
