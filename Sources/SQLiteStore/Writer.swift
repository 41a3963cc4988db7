import CSQLite
import Dispatch
import Entities
import Foundation
import Locking
import StoreParts

/// The thread that writes.
///
/// It stores all commits that wait as one transaction, then calls back with their results, in their order. Meanwhile the next
/// commits wait, and become one transaction.
final class Writer: Sendable {
    /// Work that waits for the thread.
    enum Work: Sendable {
        case write(Write)
        /// Housekeeping, in transactions of its own; it also calls back.
        case job(@Sendable (Transactions) -> Void)
    }

    private let lane = Lane<Work>()
    /// Nil once the store is closed; only the thread uses the transactions, under this lock for all its life.
    private let state: Lock<(transactions: Transactions, lock: FileLock)?>
    /// Empty once the thread has ended.
    private let thread = DispatchGroup()
    private let readers: Readers

    /// Takes the connection and the lock of the file, and starts the thread.
    init(_ transactions: sending Transactions, _ lock: sending FileLock, _ readers: Readers) {
        state = Lock((transactions, lock))
        self.readers = readers
        thread.enter()
        Thread.start(named: "sqlite-writer") { [self] in
            state.withLock { state in if let state { run(state.transactions) } }
            thread.leave()
        }
    }

    /// Takes work; false once the store is closed.
    func add(_ work: Work) -> Bool { lane.add(work) }

    /// Finishes the queued work and closes the file; as the last connection, SQLite then writes the log into the file.
    func close(then done: @escaping @Sendable () -> Void) {
        lane.close()
        thread.notify(queue: .global()) { [self] in
            readers.close { [self] in
                state.withLock { $0 = nil }
                done()
            }
        }
    }

    private func run(_ transactions: Transactions) {
        while let work = lane.take(atMost: .max) {
            var waiting = work.compactMap { if case .write(let write) = $0 { write } else { nil } }
            while !waiting.isEmpty {
                // There is more than one group if commits of an entity do not build on each other.
                let group = Group(waiting)
                for (item, result) in zip(group.items, transactions.write(group)) { item.settle(result) }
                waiting = group.rest
            }
            for case .job(let job) in work { job(transactions) }
        }
    }
}

/// The connection that writes, and its transactions.
final class Transactions {
    let connection: Connection
    private let health: StoreHealth
    private let settings: SQLiteStore.Settings
    private let begin: Statement
    private let commit: Statement
    private let update: Statement
    private let insert: Statement
    private let insertKey: Statement
    private let delete: Statement
    private let deleteKeys: Statement

    init(_ connection: Connection, _ health: StoreHealth, _ settings: SQLiteStore.Settings) throws(SQLiteFailure) {
        (self.connection, self.health, self.settings) = (connection, health, settings)
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        update = try connection.prepare(
            """
            UPDATE entities SET seq = ?3, nonce = ?4, ring = ?5, language = ?6, parts = ?7, due = ?8
            WHERE id = ?1 AND nonce = ?2
            """)
        insert = try connection.prepare(
            """
            INSERT INTO entities(id, kind, seq, nonce, ring, language, parts, due, used, owner)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT(id) DO NOTHING
            """)
        // An expired key may still be there.
        insertKey = try connection.prepare(
            """
            INSERT OR REPLACE INTO keys(entity, digest, request_hmac, status, body, etag, ends)
            VALUES((SELECT number FROM entities WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        let ended = "WHERE id = ?1 AND nonce = ?2"
        deleteKeys = try connection.prepare(
            "DELETE FROM keys WHERE entity = (SELECT number FROM entities \(ended))")
        delete = try connection.prepare("DELETE FROM entities \(ended)")
    }

    /// Writes a group in one transaction.
    ///
    /// - Returns: the result of each item; if the transaction fails, all have one.
    func write(_ group: Group) -> [CommitResult] {
        var results: [CommitResult] = []
        results.reserveCapacity(group.items.count)
        let failure = transact { () throws(SQLiteFailure) in
            for item in group.items { results.append(try write(item)) }
        }
        return failure.map { Array(repeating: $0, count: group.items.count) } ?? results
    }

    /// Whether a transaction that writes a page succeeds.
    func probe() -> Bool {
        transact { () throws(SQLiteFailure) in
            try connection.execute("PRAGMA user_version = \(DatabaseFile.version)")
        } == nil
    }

    /// Runs a transaction, as a whole or not at all.
    ///
    /// - Returns: nil if it is stored. `unknown` if SQLite reports an error of the disk at the end: the log may have the commit,
    ///   and a restart may find it. SQLite rolls the transaction back, so this process stores nothing of it later.
    func transact(_ body: () throws(SQLiteFailure) -> Void) -> CommitResult? {
        health.begin()
        var isEnding = false
        do throws(SQLiteFailure) {
            if connection.hasMoved { throw .moved }
            try begin.run()
            try body()
            isEnding = true
            try commit.run()
            health.end(nil)
            return nil
        } catch {
            // SQLite may have rolled it back already. If this fails too, the next BEGIN reports it.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            health.end(error.message)
            // If the disk was full, the last frame was not written, so no restart finds the commit.
            return isEnding && error.primaryCode != SQLITE_FULL ? .unknown : .refused
        }
    }

    private func write(_ item: Group.Item) throws(SQLiteFailure) -> CommitResult {
        let (id, base) = (item.id.text, item.base?.nonce)
        if item.last.isEnd {
            try deleteKeys.run(id, base)
            try delete.run(id, base)
            return connection.changes == 1 ? .stored : .conflict
        }
        let row = item.last.row
        let (parts, ring) = RowForm.encode(row)
        let now = settings.milliseconds
        if let base {
            try update.run(id, base, row.head.seq, row.head.nonce, ring, row.language, parts, row.due)
        } else {
            try insert.run(
                id, item.id.kind, row.head.seq, row.head.nonce, ring, row.language, parts, row.due, now, row.owner)
        }
        guard connection.changes == 1 else { return .conflict }
        for key in item.writes.lazy.compactMap(\.commit.key) {
            let answer = key.remembered
            try insertKey.run(
                id, key.digest.bytes, key.request, Int64(answer.status), answer.body, answer.etag,
                now + key.window.milliseconds)
        }
        return .stored
    }
}
