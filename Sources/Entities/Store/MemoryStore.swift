import Locking

/// The table of the memory store: entities as a value, with compare-and-set.
package struct MemoryTable: Sendable {
    private struct Row: Sendable {
        var state: EntityState
        var used: Duration
        var keys: [KeyDigest: (key: StoredKey, ends: Duration)] = [:]
    }

    private var rows: [EntityID: Row] = [:]
    /// When the effects of entities are due, in milliseconds.
    private var due: [EntityID: Int64] = [:]

    package init() {}

    /// Writes a commit if the row has its base.
    package mutating func apply(_ commit: Commit, at now: @autoclosure () -> Duration) -> Bool {
        let index = rows.index(forKey: commit.id)
        guard index.map({ rows.values[$0].state.head }) == commit.base else { return false }
        if commit.isEnd {
            (rows[commit.id], due[commit.id]) = (nil, nil)
            return true
        }
        if let index {
            rows.values[index].state = commit.state
            if let key = commit.key { rows.values[index].keys[key.digest] = (key, now() + key.window) }
        } else {
            var row = Row(state: commit.state, used: now())
            if let key = commit.key { row.keys[key.digest] = (key, now() + key.window) }
            rows[commit.id] = row
        }
        if !due.isEmpty || !commit.state.effects.isEmpty { due[commit.id] = commit.state.due }
        return true
    }

    package func load(_ id: EntityID) -> StoredEntity? { rows[id]?.state.row(id) }

    package func head(of id: EntityID) -> Stamp? { rows[id]?.state.head }

    package func lookUp(_ key: KeyDigest, in id: EntityID, at now: Duration) -> KeyResult {
        guard let row = rows[id] else { return .missing(count: 0) }
        if let known = row.keys[key], known.ends > now { return .found(known.key) }
        guard let counted = key.counted else { return .missing(count: 0) }
        return .missing(count: row.keys.count { $0.key.bytes.starts(with: counted.first) && $0.value.ends > now })
    }

    /// Takes entities with a due effect.
    package mutating func takeDue(limit: Int, for lease: Duration, at now: Duration) -> DueEntities {
        let found = due.filter { $0.value <= now.milliseconds }.sorted { $0.value < $1.value }.prefix(limit)
        for (id, _) in found { due[id] = (now + lease).milliseconds }
        return DueEntities(found.map(\.key), now: now, first: found.first?.value)
    }

    /// Records that an entity is in use.
    package mutating func touch(_ id: EntityID, at now: Duration) {
        guard let index = rows.index(forKey: id) else { return }
        rows.values[index].used = max(rows.values[index].used, now)
    }

    /// Deletes unused entities and expired keys.
    package mutating func expire(unusedFor ttl: Duration, limit: Int, at now: Duration) -> Expired {
        let ended = rows.lazy.filter { $0.key.expires && $0.value.used + ttl <= now }.prefix(limit).map(\.key)
        let ids = Array(ended)
        for id in ids { (rows[id], due[id]) = (nil, nil) }
        let outdated = rows.lazy.filter { $0.value.keys.contains { $0.value.ends <= now } }.prefix(limit).map(\.key)
        let holders = Array(outdated)
        for id in holders {
            let kept = rows[id]?.keys.filter { $0.value.ends > now }
            rows[id]?.keys = kept ?? [:]
        }
        return Expired(ended: ids, mayHaveMore: max(ids.count, holders.count) == limit)
    }

    /// The sessions of a user, the last used first.
    package func sessions(of user: String, limit: Int) -> [EntityID] {
        let found = rows.filter { $0.value.state.user?.id == user }.sorted { $0.value.used > $1.value.used }
        return found.prefix(limit).map(\.key)
    }

    var count: Int { rows.count }

    var keyCount: Int { rows.values.reduce(0) { $0 + $1.keys.count } }
}

/// A store that lasts as long as the process, and stores everything before its methods return.
package final class MemoryStore: EntityStore {
    private let table = Lock(MemoryTable())
    private let clock: @Sendable () -> Duration
    package var now: Duration { clock() }
    private let observers = Lock<[@Sendable (EntityID?) -> Void]>([])
    /// Whether tests run several processes on it.
    package let isShared: Bool

    /// Makes an empty store.
    ///
    /// - Parameter now: the store's clock.
    package init(isShared: Bool = false, now: @escaping @Sendable () -> Duration) {
        (self.isShared, clock) = (isShared, now)
    }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void) {
        let isStored = table.withLock { $0.apply(commit, at: now) }
        done(isStored ? .stored : .conflict)
        if isStored { hint(commit.id) }
    }

    package func load(_ id: EntityID, then done: @escaping @Sendable (ReadResult<StoredEntity>) -> Void) {
        done(ReadResult(table.withLock { $0.load(id) }))
    }

    package func head(of id: EntityID, then done: @escaping @Sendable (ReadResult<Stamp>) -> Void) {
        done(ReadResult(table.withLock { $0.head(of: id) }))
    }

    package func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void) {
        let time = now
        done(table.withLock { $0.lookUp(key, in: id, at: time) })
    }

    package func touch(_ ids: [EntityID]) {
        let time = now
        table.withLock { table in for id in ids { table.touch(id, at: time) } }
    }

    package func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable (Expired) -> Void) {
        let time = now
        done(table.withLock { $0.expire(unusedFor: ttl, limit: limit, at: time) })
    }

    package func sessions(of user: String, limit: Int, then done: @escaping @Sendable ([EntityID]?) -> Void) {
        done(table.withLock { $0.sessions(of: user, limit: limit) })
    }

    package func takeDue(limit: Int, for lease: Duration, then done: @escaping @Sendable (DueEntities?) -> Void) {
        let time = now
        done(table.withLock { $0.takeDue(limit: limit, for: lease, at: time) })
    }

    package func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) { observers.withLock { $0.append(moved) } }

    private func hint(_ id: EntityID) {
        guard isShared else { return }
        for moved in observers.withLock({ $0 }) { moved(id) }
    }

    package func isReady(then done: @escaping @Sendable (Bool) -> Void) { done(true) }

    package func close(then done: @escaping @Sendable () -> Void) { done() }

    var count: Int { table.withLock { $0.count } }

    var keyCount: Int { table.withLock { $0.keyCount } }
}
