import Entities

// The writer's work besides commits. It is rare, so its statements are compiled each time. A failure is not retried,
// because housekeeping runs again.

extension Transactions {
    /// How many free pages a file keeps for new rows.
    static let keptPages: Int64 = 256
    /// How many pages one call frees.
    private static let pagesAtOnce = 1_024

    /// Moves `used` to a time.
    func touch(_ ids: [EntityID], at time: Int64) {
        _ = transact { () throws(SQLiteFailure) in
            let touch = try connection.prepare("UPDATE entities SET used = max(used, ?2) WHERE id = ?1")
            for id in ids { try touch.run(id.text, time) }
        }
    }

    /// Deletes unused entities and expired keys, at most `limit` of each; then frees pages.
    func expire(unusedSince time: Int64, now: Int64, limit: Int) -> Expired {
        let unused = "SELECT number FROM entities WHERE kind = 'session' AND used <= ?1 ORDER BY used, number LIMIT ?2"
        var ended: [EntityID] = []
        var mayHaveMore = false
        let failure = transact { () throws(SQLiteFailure) in
            for deletion in [
                "DELETE FROM keys WHERE entity IN (\(unused))",
                "DELETE FROM entities WHERE number IN (\(unused)) RETURNING id",
            ] {
                let statement = try connection.prepare(deletion)
                try statement.bind(time, Int64(limit))
                while try statement.step() { ended.append(.session(statement.text(0))) }
            }
            let forget = try connection.prepare(
                "DELETE FROM keys WHERE rowid IN (SELECT rowid FROM keys WHERE ends <= ?1 ORDER BY ends LIMIT ?2)")
            try forget.run(now, Int64(limit))
            mayHaveMore = max(ended.count, connection.changes) == limit
        }
        shrink()
        return failure == nil ? Expired(ended: ended, mayHaveMore: mayHaveMore) : Expired()
    }

    /// Takes entities with a due effect; nil if the file cannot be read or written.
    func takeDue(limit: Int, for lease: Duration, at now: Duration) -> DueEntities? {
        var found: [(id: EntityID, due: Int64)] = []
        do throws(SQLiteFailure) {
            // Usually there is none; then nothing is written.
            let search = try connection.prepare(
                "SELECT id, kind, due FROM entities WHERE due <= ?1 ORDER BY due LIMIT ?2")
            try search.bind(now.milliseconds, Int64(limit))
            while try search.step() {
                found.append((EntityID(kind: search.text(1), text: search.text(0)), search.integer(2)))
            }
        } catch {
            return nil
        }
        let due = DueEntities(found.map(\.id), now: now, first: found.first?.due)
        guard !found.isEmpty else { return due }
        let failure = transact { () throws(SQLiteFailure) in
            let take = try connection.prepare("UPDATE entities SET due = ?2 WHERE id = ?1")
            for (id, _) in found { try take.run(id.text, (now + lease).milliseconds) }
        }
        return failure == nil ? due : nil
    }

    /// The sessions of a user, the last used first; nil if the file cannot be read.
    func sessions(of user: String, limit: Int) -> [EntityID]? {
        do throws(SQLiteFailure) {
            let statement = try connection.prepare(
                "SELECT id FROM entities WHERE owner = ?1 ORDER BY used DESC LIMIT ?2")
            try statement.bind(user, Int64(limit))
            var ids: [EntityID] = []
            while try statement.step() { ids.append(.session(statement.text(0))) }
            return ids
        } catch {
            return nil
        }
    }

    /// Frees pages if a quarter of the file is free.
    private func shrink() {
        guard let free = try? connection.integer("PRAGMA freelist_count"),
            let all = try? connection.integer("PRAGMA page_count"), free > max(Self.keptPages, all / 4)
        else { return }
        _ = transact { () throws(SQLiteFailure) in
            try connection.execute("PRAGMA incremental_vacuum(\(Self.pagesAtOnce))")
        }
    }
}
