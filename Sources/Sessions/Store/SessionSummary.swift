/// What a store says of a session to whoever lists all of them: how it stands, and nothing of what it holds.
public struct SessionSummary: Hashable, Sendable {
    /// The name under which it is kept.
    public let id: SessionID
    /// Where it stands in the list: greater than that of every session before it, and its own for as long as it is there.
    public let place: Int64
    /// When it was created; nil where that was by a build that did not note it.
    public let begun: TimeOfDay?
    /// When it ends if nobody uses it; nil for never.
    public let end: TimeOfDay?
    /// About how many bytes its models and outputs have.
    public let bytes: Int

    /// Describes a session.
    public init(id: SessionID, place: Int64, begun: TimeOfDay?, end: TimeOfDay?, bytes: Int) {
        self.id = id
        self.place = place
        self.begun = begun
        self.end = end
        self.bytes = bytes
    }
}
