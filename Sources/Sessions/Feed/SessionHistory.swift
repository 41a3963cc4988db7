import Foundation

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

    /// The head as it was read, where another was known before.
    ///
    /// Where the version read is another, and not newer, the store has lost commits. Then the next commit begins an epoch, so
    /// that cursors of lost commits do not match new ones of the same numbers.
    func read(after known: SessionHead) -> SessionHead {
        if version == known.version || version.number > known.version.number { return self }
        return SessionHead(version: version, seq: seq, history: history.interrupted())
    }

    /// The same commit as the first of a new history: no cursor of before it is known any more.
    func inNewHistory() -> SessionHead {
        SessionHead(version: version, seq: seq, history: SessionHistory(beginningIn: history.incarnation, at: seq))
    }

    /// The head after a commit that only remembers an outcome.
    package func remembering() -> SessionHead { SessionHead(version: version.next(), seq: seq, history: history) }
}

/// Which epochs a session's commits were made in, and from which commit on each of them.
///
/// An epoch is the mark of one history: it begins with the session, and anew with the first commit that is made after the
/// store was opened again, since by then it may have been put back to an older copy of itself. So a cursor of what was
/// lost has a number that its epoch did not reach in the history that the store has.
public struct SessionHistory: Equatable, Sendable {
    /// How many epochs are remembered; a cursor of an older one is unknown.
    public static let kept = 4

    /// An epoch, and the first commit that was made in it.
    public struct Chapter: Equatable, Sendable {
        /// The epoch.
        public let epoch: Epoch
        /// The number of its first commit.
        public let first: UInt64

        /// Takes a chapter back from a store.
        public init(epoch: Epoch, first: UInt64) {
            self.epoch = epoch
            self.first = first
        }
    }

    /// The latest epochs, the oldest first; never empty.
    public private(set) var chapters: [Chapter]
    /// The incarnation of the store in which the latest of them began (``SessionStore/incarnation``).
    public private(set) var incarnation: UInt64

    /// The history of a session that begins.
    ///
    /// - Parameter seq: the number of the first commit in it, 0 for a session that is new.
    public init(beginningIn incarnation: UInt64, at seq: UInt64 = 0, epoch: Epoch = .random()) {
        chapters = [Chapter(epoch: epoch, first: seq)]
        self.incarnation = incarnation
    }

    /// Takes a history back from a store.
    ///
    /// - Returns: nil where there is no chapter, or they are not in their order.
    public init?(chapters: [Chapter], incarnation: UInt64) {
        let isInOrder = zip(chapters, chapters.dropFirst()).allSatisfy { $0.first < $1.first }
        guard !chapters.isEmpty, isInOrder else { return nil }
        self.chapters = chapters
        self.incarnation = incarnation
    }

    /// The epoch in which the next commit would be made if the store were not opened anew.
    public var epoch: Epoch { chapters[chapters.count - 1].epoch }

    /// The history with a commit that is made in an incarnation of the store.
    func continued(at seq: UInt64, in incarnation: UInt64) -> SessionHistory {
        guard incarnation != self.incarnation else { return self }
        var next = self
        // An epoch that was to begin with the same commit never did.
        let before = chapters.last?.first == seq ? chapters.dropLast() : chapters[...]
        next.chapters = before.suffix(Self.kept - 1) + [Chapter(epoch: .random(), first: seq)]
        next.incarnation = incarnation
        return next
    }

    /// Whether the store was found to have lost commits, and none was made since.
    var isInterrupted: Bool { incarnation == 0 }

    /// The history where the store is found to have lost commits: the next one begins an epoch.
    func interrupted() -> SessionHistory {
        var next = self
        next.incarnation = 0
        return next
    }

    /// The cursor of a commit: its number, and the epoch that it was made in.
    func cursor(at seq: UInt64) -> Cursor {
        let chapter = chapters.last { $0.first <= seq } ?? chapters[0]
        return Cursor(epoch: chapter.epoch, seq: seq)
    }

    /// Why a cursor is not believed; nil where it lies in this history.
    ///
    /// - Parameter latest: the number of the latest commit.
    func doubt(of cursor: Cursor, latest: UInt64) -> FeedAnswer.SnapshotReason? {
        guard let index = chapters.lastIndex(where: { $0.epoch == cursor.epoch }) else { return .epoch }
        // The oldest epoch that is remembered also covers the numbers before its first: `cursor(at:)` gives those its name.
        guard index == 0 || cursor.seq >= chapters[index].first else { return .history }
        guard index + 1 < chapters.count else { return cursor.seq > latest ? .future : nil }
        return cursor.seq < chapters[index + 1].first ? nil : .history
    }
}
