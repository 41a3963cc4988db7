import Foundation
import Locking

/// Keeps sessions for as long as the process lives.
///
/// For tests and throw-away demonstrations. Every commit is stored at once and nothing is ever written to disk.
public final class MemoryStore: SessionStore {
    private struct Entry {
        var record: SessionRecord
        var outcomes: [KeyDigest: RememberedOutcome] = [:]

        func isOver(at now: SessionEnd) -> Bool { record.end.map { $0 <= now } ?? false }
    }

    /// Another in each store: what it keeps begins with it.
    public let incarnation = UInt64.random(in: 1...UInt64.max)
    private let entries = Lock<[SessionID: Entry]>([:])
    private let now: @Sendable () -> SessionEnd

    /// An empty store.
    ///
    /// - Parameter now: the time of day, by which a session or an outcome whose end has come is not found.
    public init(
        now: @escaping @Sendable () -> SessionEnd = {
            SessionEnd(secondsSince1970: Int64(Date().timeIntervalSince1970))
        }
    ) { self.now = now }

    /// The session as it stands, or nil where there is none of that name or its time is over.
    public func load(_ id: SessionID) -> SessionRecord? {
        let now = now()
        return entries.withLock { entries in
            guard let entry = entries[id], !entry.isOver(at: now) else { return nil }
            var record = entry.record
            record.keys = entry.outcomes.values.count { $0.end > now }
            return record
        }
    }

    /// What a request with an idempotency key came to.
    public func outcome(of key: KeyDigest, in id: SessionID) -> RememberedOutcome? {
        let now = now()
        return entries.withLock { entries in
            guard let entry = entries[id], !entry.isOver(at: now) else { return nil }
            return entry.outcomes[key].flatMap { $0.end > now ? $0 : nil }
        }
    }

    /// Stores one step, before it returns.
    public func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        let now = commit.base == nil ? now() : nil
        done(entries.withLock { Self.store(commit, in: &$0[commit.id], at: now) })
    }

    /// Forgets a session that stands at a version.
    public func delete(_ id: SessionID, at version: CommitVersion) throws(StoreFailure) {
        let current = entries.withLock { entries in
            let current = entries[id]?.record.head.version
            if current == version { entries[id] = nil }
            return current
        }
        guard let current, current != version else { return }
        throw .conflict(current)
    }

    /// Puts off the end of sessions.
    public func touch(_ ends: [SessionID: SessionEnd]) {
        entries.withLock { entries in
            for (id, end) in ends {
                if let known = entries[id]?.record.end { entries[id]?.record.end = max(known, end) }
            }
        }
    }

    /// Forgets sessions whose end has come.
    public func deleteEnded(by now: SessionEnd, limit: Int) -> [SessionID] {
        entries.withLock { entries in
            let ended = Array(entries.lazy.filter { $0.value.isOver(at: now) }.map(\.key).prefix(limit))
            for id in ended { entries.removeValue(forKey: id) }
            return ended
        }
    }

    /// Forgets outcomes whose end has come.
    public func deleteEndedOutcomes(by now: SessionEnd, limit: Int) -> Int {
        entries.withLock { entries in
            let all = entries.lazy.flatMap { id, entry in entry.outcomes.values.lazy.map { (id, $0) } }
            let ended = all.filter { $0.1.end <= now }.prefix(limit).map { ($0.0, $0.1.key) }
            for (id, key) in ended { entries[id]?.outcomes[key] = nil }
            return ended.count
        }
    }

    /// How many sessions there are.
    public func count() -> Int { entries.withLock { $0.count } }

    /// As by two registries of one process.
    public var isShared: Bool { true }

    /// Always.
    public func isReady() -> Bool { true }

    /// Nothing is to be let go of.
    public func close() {}

    private static func store(_ commit: Commit, in entry: inout Entry?, at now: SessionEnd?) -> StoreFailure? {
        // One whose time is over is found by nobody, and is in the way of no creation.
        if let now, entry?.isOver(at: now) == true { entry = nil }
        // By itself: to compare heads would copy the record.
        let current = entry?.record.head.version
        guard current == commit.base else { return current.map { .conflict($0) } ?? .gone }
        if entry == nil { entry = Entry(record: SessionRecord(creating: commit)) } else { entry?.record.apply(commit) }
        if let outcome = commit.outcome { entry?.outcomes[outcome.key] = outcome }
        return nil
    }
}
