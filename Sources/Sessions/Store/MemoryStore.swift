import Synchronization

/// Keeps sessions for as long as the process lives.
///
/// For tests and throw-away demonstrations. Every commit is stored at once and nothing is ever written to disk.
public final class MemoryStore: SessionStore {
    private let records = Mutex<[SessionID: SessionRecord]>([:])

    /// An empty store.
    public init() {}

    /// How many sessions are kept.
    public var count: Int { records.withLock { $0.count } }

    /// The session as it stands.
    public func load(_ id: SessionID) -> SessionRecord? { records.withLock { $0[id] } }

    /// Stores one step.
    public func commit(_ commit: Commit) throws(StoreFailure) {
        let stored = records.withLock { Self.apply(commit, to: &$0[commit.id]) }
        guard stored else { throw .conflict }
    }

    /// Forgets a session.
    public func delete(_ id: SessionID) { _ = records.withLock { $0.removeValue(forKey: id) } }

    /// Always.
    public func isReady() -> Bool { true }

    private static func apply(_ commit: Commit, to record: inout SessionRecord?) -> Bool {
        guard record.map({ Cursor(epoch: $0.epoch, seq: $0.seq) }) == commit.base else { return false }
        if record == nil {
            record = SessionRecord(epoch: commit.cursor.epoch, seq: commit.cursor.seq, language: commit.language)
        }
        record?.epoch = commit.cursor.epoch
        record?.seq = commit.cursor.seq
        for viewModel in commit.viewModels { record?.viewModels[viewModel.name] = viewModel }
        return true
    }
}
