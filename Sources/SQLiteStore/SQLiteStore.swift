import Entities
import Foundation
import StoreParts

/// A store in a file, for one process at a time.
///
/// The writer stores commits in groups: while it writes one transaction, the next commits wait and become one transaction.
/// So one flush of the disk serves many commits. While the store is open, SQLite keeps `PATH-wal` and `PATH-shm` beside
/// `PATH` (https://sqlite.org/wal.html). `PATH-lock` stays, and prevents a second store.
///
/// If a write fails, its whole group fails, and the writer tries the next group. So the store recovers when the cause is
/// gone.
package final class SQLiteStore: EntityStore {
    /// The failures that a stored commit survives.
    package enum Durability: String, CaseIterable, Sendable {
        /// Loss of power: a commit is flushed to the disk before it is acknowledged (`synchronous=FULL`).
        case power
        /// The end of the process, also by `kill -9` (`synchronous=NORMAL`).
        ///
        /// After loss of power the file is whole, but the latest commits may be missing.
        case process
    }

    /// The settings of a store.
    package struct Settings: Sendable {
        /// The failures that a stored commit survives.
        package var durability = Durability.power
        /// If a transaction takes longer than this, ``SQLiteStore/isReady(then:)`` answers false.
        package var patience = Duration.seconds(5)
        /// The time since 1970, for the expiry of entities and keys.
        package var now: @Sendable () -> Duration = { .seconds(Date().timeIntervalSince1970) }
        /// Takes events for the log, on the threads of the store.
        package var tell: @Sendable (StoreEvent) -> Void = { _ in }

        package init() {}

        var milliseconds: Int64 { now().milliseconds }
    }

    /// Only one process uses the file.
    package let isShared = false
    package var now: Duration { settings.now() }
    private let settings: Settings
    private let health: StoreHealth
    private let readers: Readers
    private let writer: Writer

    /// Opens a file, and makes it if it is missing.
    ///
    /// - Throws: ``SQLiteStoreError``; a file of another program or schema stays as it is.
    package init(_ path: String, _ settings: Settings) throws(SQLiteStoreError) {
        self.settings = settings
        health = StoreHealth(tell: settings.tell)
        let file = DatabaseFile(path)
        let lock = try FileLock(of: file.path)
        let connection = try file.open(settings.durability)
        do throws(SQLiteFailure) {
            let transactions = try Transactions(connection, health, settings)
            readers = Readers(file.path, settings)
            writer = Writer(transactions, lock, readers)
        } catch {
            throw SQLiteStoreError(file.path, error)
        }
    }

    package func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void) {
        if !writer.add(.write(Write(commit, done))) { done(.refused) }
    }

    package func load(_ id: EntityID, then done: @escaping @Sendable (ReadResult<StoredEntity>) -> Void) {
        readers.add(.load(id, done))
    }

    package func head(of id: EntityID, then done: @escaping @Sendable (ReadResult<Stamp>) -> Void) {
        readers.add(.head(id, done))
    }

    package func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void) {
        readers.add(.key(key, id, done))
    }

    package func touch(_ ids: [EntityID]) {
        // While the disk hangs, the queue would grow.
        guard !ids.isEmpty, health.busyTime <= settings.patience else { return }
        let time = settings.milliseconds
        run(or: (), then: {}) { $0.touch(ids, at: time) }
    }

    package func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable (Expired) -> Void) {
        let now = settings.milliseconds
        run(or: Expired(), then: done) { $0.expire(unusedSince: now - ttl.milliseconds, now: now, limit: limit) }
    }

    package func sessions(of user: String, limit: Int, then done: @escaping @Sendable ([EntityID]?) -> Void) {
        run(or: nil, then: done) { $0.sessions(of: user, limit: limit) }
    }

    package func takeDue(limit: Int, for lease: Duration, then done: @escaping @Sendable (DueEntities?) -> Void) {
        let now = now
        run(or: nil, then: done) { $0.takeDue(limit: limit, for: lease, at: now) }
    }

    /// Runs housekeeping on the writer's connection; answers `none` after the store is closed.
    private func run<Value: Sendable>(
        or none: Value, then done: @escaping @Sendable (Value) -> Void,
        _ job: @escaping @Sendable (Transactions) -> Value
    ) {
        if !writer.add(.job { done(job($0)) }) { done(none) }
    }

    /// Nothing to observe: no other process writes.
    package func observe(_ moved: @escaping @Sendable (EntityID?) -> Void) {}

    /// Whether the last transaction succeeded and none hangs; after a failure, the writer tries one.
    package func isReady(then done: @escaping @Sendable (Bool) -> Void) {
        if health.busyTime > settings.patience { return done(false) }
        guard health.isLost else { return done(true) }
        run(or: false, then: done) { $0.probe() }
    }

    package func close(then done: @escaping @Sendable () -> Void) { writer.close(then: done) }
}
