import Foundation
import Locking
import Synchronization

/// Keeps sessions for as long as the process lives.
///
/// For tests and throw-away demonstrations. Every commit is stored at once and nothing is ever written to disk.
public final class MemoryStore: CopiedStore {
    private struct Entry {
        var record: SessionRecord
        let place: Int64
        let begun: TimeOfDay
        var outcomes: [KeyDigest: RememberedOutcome] = [:]

        func isOver(at now: TimeOfDay) -> Bool { record.end.map { $0 <= now } ?? false }
    }

    /// Another in each store: what it keeps begins with it.
    public let incarnation = UInt64.random(in: 1...UInt64.max)
    /// Whether other registries of this process use it, too.
    public let isShared: Bool
    private let entries = Lock<[SessionID: Entry]>([:])
    private let watches = Lock<[SessionID: [UInt64: @Sendable (CommitVersion?) -> Void]]>([:])
    private let lastHandle = Atomic<UInt64>(0)
    /// Of each session who asks for its lease: the first holds it.
    private let leases = Lock<[SessionID: [(number: UInt64, isHeld: @Sendable (Bool) -> Void)]]>([:])
    private let lastPlace = Atomic<Int64>(0)
    private let now: @Sendable () -> TimeOfDay

    /// An empty store.
    ///
    /// - Parameters:
    ///   - isShared: whether more than one registry is to use it.
    ///   - now: the time of day, by which a session or an outcome whose end has come is not found, and a session begins.
    public init(
        isShared: Bool = false,
        now: @escaping @Sendable () -> TimeOfDay = {
            TimeOfDay(secondsSince1970: Int64(Date().timeIntervalSince1970))
        }
    ) {
        self.isShared = isShared
        self.now = now
    }

    /// The session as it stands, or nil where there is none of that name or its time is over.
    public func load(_ id: SessionID) -> SessionRecord? {
        let now = now()
        return entries.withLock { entries in
            guard let entry = entries[id], !entry.isOver(at: now) else { return nil }
            var record = entry.record
            for outcome in entry.outcomes.values where outcome.end > now {
                record.keys += 1
                record.keyBytes += outcome.body.count
            }
            return record
        }
    }

    /// What a request with an idempotency key came to.
    public func outcome(of key: KeyDigest, in id: SessionID) -> RememberedOutcome? {
        let now = now()
        return entries.withLock { $0[id]?.outcomes[key].flatMap { $0.end > now ? $0 : nil } }
    }

    /// All outcomes that are to be remembered, in no order.
    package func outcomes(of id: SessionID) -> [RememberedOutcome] {
        let now = now()
        return entries.withLock { $0[id]?.outcomes.values.filter { $0.end > now } ?? [] }
    }

    /// Stores one commit, before it returns.
    public func submit(_ commit: Commit, then done: @escaping @Sendable (StoreFailure?) -> Void) {
        // Only one that may create the session asks what time it is.
        let now = commit.base == nil ? now() : nil
        let failure = entries.withLock { store(commit, in: &$0[commit.id], at: now) }
        done(failure)
        if isShared, failure == nil { tellWatches(of: commit.id, commit.head.version) }
    }

    /// Forgets a session that stands at a version.
    public func delete(_ id: SessionID, at version: CommitVersion) throws(StoreFailure) {
        let current = entries.withLock { entries in
            let current = entries[id]?.record.head.version
            if current == version { entries[id] = nil }
            return current
        }
        guard let current else { return }
        guard current == version else { throw .conflict(current) }
        if isShared { tellWatches(of: id, nil) }
    }

    /// Puts off the end of sessions.
    public func touch(_ ends: [SessionID: TimeOfDay]) {
        entries.withLock { entries in
            for (id, end) in ends {
                if let known = entries[id]?.record.end { entries[id]?.record.end = max(known, end) }
            }
        }
    }

    /// Forgets sessions whose end has come.
    public func deleteEnded(by now: TimeOfDay, limit: Int) -> [SessionID] {
        entries.withLock { entries in
            let ended = Array(entries.lazy.filter { $0.value.isOver(at: now) }.map(\.key).prefix(limit))
            for id in ended { entries.removeValue(forKey: id) }
            return ended
        }
    }

    /// Forgets outcomes whose end has come.
    public func deleteEndedOutcomes(by now: TimeOfDay, limit: Int) -> Int {
        entries.withLock { entries in
            let all = entries.lazy.flatMap { id, entry in entry.outcomes.values.lazy.map { (id, $0) } }
            let ended = all.filter { $0.1.end <= now }.prefix(limit).map { ($0.0, $0.1.key) }
            for (id, key) in ended { entries[id]?.outcomes[key] = nil }
            return ended.count
        }
    }

    /// Sessions in the order of their creation; looks at the places of all of them.
    public func sessions(after place: Int64, limit: Int) -> [SessionSummary] {
        // In one look: of what is chosen none may end before it is read, or a page looks like the last one.
        entries.withLock { entries in
            entries.filter { $0.value.place > place }.sorted { $0.value.place < $1.value.place }.prefix(limit)
                .map { id, entry in
                    SessionSummary(
                        id: id, place: entry.place, begun: entry.begun, end: entry.record.end, bytes: entry.record.bytes
                    )
                }
        }
    }

    /// How many sessions there are.
    public func count() -> Int { entries.withLock { $0.count } }

    /// The session, where it stands elsewhere.
    public func load(_ id: SessionID, unless known: CommitVersion) -> LoadedSession {
        let now = now()
        let isKnown = entries.withLock { entries in
            guard let entry = entries[id], !entry.isOver(at: now) else { return false }
            return entry.record.head.version == known
        }
        if isKnown { return .asKnown }
        return load(id).map { .moved($0) } ?? .gone
    }

    /// Tells at once of each commit.
    public func watch(_ id: SessionID, _ moved: @escaping @Sendable (CommitVersion?) -> Void) -> StoreHandle? {
        guard isShared else { return nil }
        let number = lastHandle.add(1, ordering: .relaxed).newValue
        watches.withLock { $0[id, default: [:]][number] = moved }
        return StoreHandle { [weak self] in
            self?.watches.withLock { watches in
                watches[id]?[number] = nil
                if watches[id]?.isEmpty == true { watches[id] = nil }
            }
        }
    }

    /// Held by who asked first, and when that one releases it by who asked next.
    public func lease(_ id: SessionID, _ isHeld: @escaping @Sendable (Bool) -> Void) -> StoreHandle {
        let number = lastHandle.add(1, ordering: .relaxed).newValue
        let isFirst = leases.withLock { leases in
            leases[id, default: []].append((number, isHeld))
            return leases[id]?.count == 1
        }
        if isFirst { isHeld(true) }
        return StoreHandle { [weak self] in self?.endLease(number, of: id) }
    }

    private func endLease(_ number: UInt64, of id: SessionID) {
        let next = leases.withLock { leases -> (@Sendable (Bool) -> Void)? in
            let wasHeld = leases[id]?.first?.number == number
            leases[id]?.removeAll { $0.number == number }
            if leases[id]?.isEmpty == true { leases[id] = nil }
            return wasHeld ? leases[id]?.first?.isHeld : nil
        }
        next?(true)
    }

    private func tellWatches(of id: SessionID, _ version: CommitVersion?) {
        for moved in watches.withLock({ Array(($0[id] ?? [:]).values) }) { moved(version) }
    }

    /// Always.
    public func isReady() -> Bool { true }

    /// Nothing is to be let go of.
    public func close() {}

    private func store(_ commit: Commit, in entry: inout Entry?, at now: TimeOfDay?) -> StoreFailure? {
        // One whose time is over is found by nobody, and is in the way of no creation.
        if let now, entry?.isOver(at: now) == true { entry = nil }
        // By itself: to compare heads would copy the record.
        let current = entry?.record.head.version
        guard current == commit.base else { return current.map { .conflict($0) } ?? .gone }
        if let now, entry == nil {
            let place = lastPlace.add(1, ordering: .relaxed).newValue
            entry = Entry(record: SessionRecord(creating: commit), place: place, begun: commit.begun ?? now)
        } else {
            entry?.record.apply(commit)
        }
        if let outcome = commit.outcome { entry?.outcomes[outcome.key] = outcome }
        return nil
    }
}
