import Foundation
public import Sessions
import StoreParts

extension SQLiteStore {
    /// Copies the store, as it is at one moment, into a new file, while commits go on.
    ///
    /// The copy is a store of its own, in one file: serve it where it is, or put it where the store was by
    /// ``restore(from:to:)``.
    ///
    /// - Parameter target: the new file; its directory has to be there.
    /// - Throws: ``SQLiteStoreError``, with ``SQLiteStoreError/Code/exists`` where there is such a file; it is left alone.
    public func backup(to target: String) async throws(SQLiteStoreError) {
        try await Self.backup(from: path, to: target)
    }

    /// Copies the store in a file, also one that another process has open, into a new file.
    ///
    /// Reads the store only, and takes no part in who may open it. While it copies, commits go on and the log grows by them.
    /// The time of an empty file beside the store, `PATH-backup`, says afterwards when it was copied last, for
    /// `bindery_last_backup_timestamp_seconds`; where that may not be written, nothing says it.
    ///
    /// - Parameters:
    ///   - source: the store's file.
    ///   - target: the new file; its directory has to be there.
    /// - Throws: ``SQLiteStoreError``, with ``SQLiteStoreError/Code/unfinished`` where the store has a part alone; there is then no
    ///   new file.
    public static func backup(from source: String, to target: String) async throws(SQLiteStoreError) {
        let backup = Backup(source: RealPath.resolve(source), target: RealPath.absolute(target))
        // Under another name there is no log, and what was stored of late is missing.
        try DatabaseFile.checkNames(of: backup.source)
        try await Worker<SQLiteStoreError>.run(named: "sqlite-backup") { () throws(SQLiteStoreError) in
            try backup.run()
            BackupMark.set(backup.source)
        }
    }

    /// Copies the store in a file into a directory, under a name of its time, and removes the oldest such copies.
    ///
    /// The copy of `bindery.db` is `bindery-20261123T170512Z.db`, by the time in UTC. Only files that are named so are removed, and
    /// only when the new one was made and checked.
    ///
    /// - Parameters:
    ///   - source: the store's file, which may be open.
    ///   - directory: where the copies are; it has to be there.
    ///   - count: how many are kept, the new one among them; at least 1.
    ///   - time: what the copy is named by; default now.
    /// - Returns: the new copy, and those that were removed.
    /// - Throws: ``SQLiteStoreError``; where the new copy is not the trouble, it is there and named.
    @discardableResult
    public static func backup(
        from source: String, into directory: String, keeping count: Int, at time: TimeOfDay? = nil
    ) async throws(SQLiteStoreError) -> (copy: String, removed: [String]) {
        let backups = DatedBackups(
            source: RealPath.resolve(source), directory: RealPath.absolute(directory), kept: max(1, count))
        let time = time ?? TimeOfDay(secondsSince1970: Int64(Date().timeIntervalSince1970))
        try DatabaseFile.checkNames(of: backups.source)
        return try await Worker<SQLiteStoreError>.run(named: "sqlite-backup") { () throws(SQLiteStoreError) in
            let result = try backups.run(at: time)
            BackupMark.set(backups.source)
            return result
        }
    }

    /// Puts a backup where a store is, or was, and keeps what was there.
    ///
    /// The backup is read only, and checked before anything is moved. Nothing is overwritten: the file from before and its
    /// log are moved to `PATH.before-restore`, or a number behind it. Where the process is killed, either nothing has
    /// happened, or the next ``init(path:durability:timeToLive:now:purpose:log:)`` finishes what was begun.
    ///
    /// - Parameters:
    ///   - source: the backup; or another store, which may be open.
    ///   - target: the store's file, which nobody has open; its directory has to be there.
    /// - Returns: where the store from before is kept; nil where there was none.
    /// - Throws: ``SQLiteStoreError``, as where the store is open (``SQLiteStoreError/Code/inUse``), or the backup is
    ///   damaged, newer or not Bindery's; the store is then as it was.
    @discardableResult
    public static func restore(from source: String, to target: String) async throws(SQLiteStoreError) -> String? {
        let restore = Restore(source: RealPath.resolve(source), target: RealPath.resolve(target))
        return try await Worker<SQLiteStoreError>.run(named: "sqlite-restore") { () throws(SQLiteStoreError) in
            try restore.run()
        }
    }
}
