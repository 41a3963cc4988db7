import Entities
import StoreParts

/// Housekeeping that the writer does in small transactions, between groups.
enum Chore: Sendable {
    /// Moves `used` to a time.
    case touch([EntityID], at: Int64)
    /// Deletes unused entities, at most `limit`.
    case expire(before: Int64, limit: Int, ended: [EntityID], @Sendable ([EntityID]) -> Void)
    /// Deletes keys whose window has passed, at most `limit`, and calls back.
    case forget(limit: Int, @Sendable () -> Void)
    /// Gives free pages back to the file system.
    case shrink

    /// How many rows a step changes.
    static let rows = 64
    /// How many free pages a file keeps for new rows.
    static let keptPages: Int64 = 256
    /// How often `used` moves, at most, in milliseconds.
    static let touchInterval: Int64 = 60_000
}

/// The statements of housekeeping.
final class ChoreStatements {
    fileprivate let touch: Statement
    fileprivate let expire: Statement
    fileprivate let deleteKeys: Statement
    fileprivate let forget: Statement

    init(_ connection: Connection) throws(SQLiteFailure) {
        touch = try connection.prepare("UPDATE entities SET used = ?2 WHERE id = ?1 AND used <= ?3")
        expire = try connection.prepare(
            """
            DELETE FROM entities WHERE number IN (
                SELECT number FROM entities WHERE kind = 'session' AND used <= ?1 ORDER BY used LIMIT ?2)
            RETURNING number, id
            """)
        deleteKeys = try connection.prepare("DELETE FROM keys WHERE entity = ?1")
        forget = try connection.prepare(
            "DELETE FROM keys WHERE rowid IN (SELECT rowid FROM keys WHERE ends <= ?1 ORDER BY ends LIMIT ?2)")
    }
}

extension Transactions {
    /// Does one step of a chore in one transaction.
    ///
    /// - Returns: the rest of it, and a call that answers. A chore that fails ends: housekeeping comes again.
    func step(_ chore: Chore, now: Int64) -> (rest: [Chore], call: (@Sendable () -> Void)?) {
        switch chore {
        case .touch(let ids, let time):
            touch(ids.prefix(Chore.rows), at: time)
            let rest = Array(ids.dropFirst(Chore.rows))
            return (rest.isEmpty ? [] : [.touch(rest, at: time)], nil)
        case .expire(let time, let limit, var ended, let done):
            let step = min(Chore.rows, limit - ended.count)
            let deleted = expire(before: time, limit: step)
            ended += deleted
            if deleted.count == step, ended.count < limit {
                return ([.expire(before: time, limit: limit, ended: ended, done)], nil)
            }
            return ([.forget(limit: limit) { [ended] in done(ended) }], nil)
        case .forget(let limit, let done):
            let step = min(Chore.rows, limit)
            let count = forget(endedBy: now, limit: step)
            return count == step && limit > step ? ([.forget(limit: limit - step, done)], nil) : ([.shrink], done)
        case .shrink: return (shrink() ? [.shrink] : [], nil)
        }
    }

    private func touch(_ ids: ArraySlice<EntityID>, at time: Int64) {
        _ = transact { () throws(SQLiteFailure) in
            for id in ids {
                try statements.touch.bind(id.text, 1)
                try statements.touch.bind(time, 2)
                try statements.touch.bind(time - Chore.touchInterval, 3)
                try statements.touch.run()
            }
        }
    }

    private func expire(before time: Int64, limit: Int) -> [EntityID] {
        var ended: [EntityID] = []
        let failure = transact { () throws(SQLiteFailure) in
            var numbers: [Int64] = []
            try statements.expire.bind(time, 1)
            try statements.expire.bind(Int64(limit), 2)
            while try statements.expire.step() {
                numbers.append(statements.expire.integer(0))
                ended.append(.session(statements.expire.text(1)))
            }
            statements.expire.reset()
            for number in numbers {
                try statements.deleteKeys.bind(number, 1)
                try statements.deleteKeys.run()
            }
        }
        return failure == nil ? ended : []
    }

    private func forget(endedBy now: Int64, limit: Int) -> Int {
        var count = 0
        let failure = transact { () throws(SQLiteFailure) in
            try statements.forget.bind(now, 1)
            try statements.forget.bind(Int64(limit), 2)
            try statements.forget.run()
            count = connection.changes
        }
        return failure == nil ? count : 0
    }

    /// Gives some pages back if a quarter of the file is free; returns whether there are more.
    private func shrink() -> Bool {
        guard let free = try? connection.integer("PRAGMA freelist_count"),
            let all = try? connection.integer("PRAGMA page_count"), free > max(Chore.keptPages, all / 4)
        else { return false }
        return transact { () throws(SQLiteFailure) in
            try connection.execute("PRAGMA incremental_vacuum(\(Chore.rows))")
        } == nil
    }
}
