import Foundation
import Locking

/// Keeps sessions for as long as the process lives.
///
/// For tests and throw-away demonstrations. Every commit is stored at once and nothing is ever written to disk.
public final class MemoryStore: SessionStore {
    /// Another in each store: what it keeps begins with it.
    public let incarnation = UInt64.random(in: 1...UInt64.max)
    private let records = Lock<[SessionID: SessionRecord]>([:])
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
        let record = records.withLock { $0[id] }
        return record?.end.map { $0 <= now() } ?? false ? nil : record
    }

    /// Stores one step, before it returns.
    public func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        let now = commit.base == nil ? now() : nil
        done(records.withLock { Self.store(commit, in: &$0[commit.id], at: now) })
    }

    /// Forgets a session that stands at a version.
    public func delete(_ id: SessionID, at version: CommitVersion) throws(StoreFailure) {
        let current = records.withLock { records in
            let current = records[id]?.head.version
            if current == version { records[id] = nil }
            return current
        }
        guard let current, current != version else { return }
        throw .conflict(current)
    }

    /// Puts off the end of sessions.
    public func touch(_ ends: [SessionID: SessionEnd]) {
        records.withLock { records in
            for (id, end) in ends {
                if let known = records[id]?.end { records[id]?.end = max(known, end) }
            }
        }
    }

    /// Forgets sessions whose end has come.
    public func deleteEnded(by now: SessionEnd, limit: Int) -> [SessionID] {
        records.withLock { records in
            let ended = Array(records.lazy.filter { $0.value.end.map { $0 <= now } ?? false }.map(\.key).prefix(limit))
            for id in ended { records.removeValue(forKey: id) }
            return ended
        }
    }

    /// How many sessions there are.
    public func count() -> Int { records.withLock { $0.count } }

    /// As by two registries of one process.
    public var isShared: Bool { true }

    /// Always.
    public func isReady() -> Bool { true }

    /// Nothing is to be let go of.
    public func close() {}

    private static func store(_ commit: Commit, in record: inout SessionRecord?, at now: SessionEnd?) -> StoreFailure? {
        // One whose time is over is found by nobody, and is in the way of no creation.
        if let now, let end = record?.end, end <= now { record = nil }
        // By itself: to compare heads would copy the record.
        let current = record?.head.version
        guard current == commit.base else { return current.map { .conflict($0) } ?? .gone }
        if record == nil { record = SessionRecord(creating: commit) } else { record?.apply(commit) }
        return nil
    }
}
