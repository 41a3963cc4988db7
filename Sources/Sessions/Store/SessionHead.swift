/// Where a session stands: its latest commit.
public struct SessionHead: Equatable, Sendable {
    /// The mark of that commit.
    public let version: CommitVersion
    /// The number of the latest commit that changed what is shown, 0 for none yet.
    public let seq: UInt64
    /// The epochs of its commits.
    public let history: SessionHistory

    /// Describes where a session stands.
    public init(version: CommitVersion, seq: UInt64, history: SessionHistory) {
        self.version = version
        self.seq = seq
        self.history = history
    }

    /// The head of a session that begins.
    static func beginning(in incarnation: UInt64) -> SessionHead {
        SessionHead(version: .first(), seq: 0, history: SessionHistory(beginningIn: incarnation))
    }

    /// The place in the feed.
    public var cursor: Cursor { history.cursor(at: seq) }

    /// The head after a commit that changes what is shown.
    package func advanced(in incarnation: UInt64) -> SessionHead {
        SessionHead(version: version.next(), seq: seq + 1, history: history.continued(at: seq + 1, in: incarnation))
    }

    /// The head as it was read, where another was known before: one that does not lead there tells of commits that were
    /// lost, and cursors of them are not to be believed once others have their numbers.
    func read(after known: SessionHead) -> SessionHead {
        if version == known.version || version.number > known.version.number { return self }
        return SessionHead(version: version, seq: seq, history: history.interrupted())
    }

    /// The head after a commit that only remembers an outcome.
    package func remembering() -> SessionHead { SessionHead(version: version.next(), seq: seq, history: history) }
}
