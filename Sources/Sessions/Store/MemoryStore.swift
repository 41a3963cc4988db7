import Foundation
import Synchronization

/// Keeps sessions for as long as the process lives.
///
/// For tests and throw-away demonstrations. Every commit is stored at once and nothing is ever written to disk.
public final class MemoryStore: SessionStore {
    private let records = Mutex<[SessionID: SessionRecord]>([:])
    private let now: @Sendable () -> SessionEnd

    /// An empty store.
    ///
    /// - Parameter now: the time of day, by which a session whose end has come is not found.
    public init(
        now: @escaping @Sendable () -> SessionEnd = {
            SessionEnd(secondsSince1970: Int64(Date().timeIntervalSince1970))
        }
    ) { self.now = now }

    /// The session as it stands, or nil where there is none of that name or its time is over.
    public func load(_ id: SessionID) -> SessionRecord? {
        guard let record = records.withLock({ $0[id] }) else { return nil }
        return hasEnded(record) ? nil : record
    }

    /// Stores one step, before it returns.
    public func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        let isStored = records.withLock { store(commit, in: &$0[commit.id]) }
        done(isStored ? nil : .conflict)
    }

    /// Forgets a session.
    public func delete(_ id: SessionID) { _ = records.withLock { $0.removeValue(forKey: id) } }

    /// Puts off the end of sessions.
    public func touch(_ ends: [SessionID: SessionEnd]) {
        records.withLock { records in
            for (id, end) in ends { records[id]?.end = end }
        }
    }

    /// Forgets sessions whose end has come.
    public func deleteEnded(by now: SessionEnd, limit: Int) -> Int {
        records.withLock { records in
            let ended = Array(records.lazy.filter { $0.value.end.map { $0 <= now } ?? false }.map(\.key).prefix(limit))
            for id in ended { records.removeValue(forKey: id) }
            return ended.count
        }
    }

    /// How many sessions there are.
    public func count() -> Int { records.withLock { $0.count } }

    /// Always.
    public func isReady() -> Bool { true }

    /// Nothing is to be let go of.
    public func close() {}

    private func store(_ commit: Commit, in record: inout SessionRecord?) -> Bool {
        // One whose time is over is found by nobody, and is in nobody's way.
        if commit.base == nil, let ended = record, hasEnded(ended) { record = nil }
        guard record?.cursor == commit.base else { return false }
        if record == nil { record = SessionRecord(creating: commit) } else { record?.apply(commit) }
        return true
    }

    private func hasEnded(_ record: SessionRecord) -> Bool { record.end.map { $0 <= now() } ?? false }
}
