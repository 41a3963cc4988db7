import CSQLite
import Foundation

extension SQLiteStore {
    /// Replaces a store by a backup in one transaction, after a safety copy of the store.
    ///
    /// The store must be closed. If the process is killed meanwhile, the store is as before. A damaged store is moved aside
    /// instead of copied.
    ///
    /// - Returns: the path of the safety copy; nil if no store was there.
    /// - Throws: ``SQLiteStoreError``, also if the target is a file of another program.
    package static func restore(from backup: String, to path: String) throws(SQLiteStoreError) -> String? {
        let (source, target) = (DatabaseFile(backup), DatabaseFile(path))
        guard source.path != target.path else {
            throw SQLiteStoreError(.exists, "\(target.path) is the store itself. Name a backup of it.")
        }
        let lock = try FileLock(of: target.path)
        defer { withExtendedLifetime(lock) {} }
        try source.verify()
        let connection = try source.reader()
        let kept = try target.keep()
        if !target.exists { try DatabaseFile.create(target.path) }
        do throws(SQLiteFailure) {
            try copy(connection, to: Connection(target.path, writes: true))
        } catch {
            throw SQLiteStoreError(target.path, error)
        }
        try target.verify()
        try DatabaseFile.flush(target.directory)
        return kept
    }

    private static func copy(_ source: Connection, to target: Connection) throws(SQLiteFailure) {
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure(sqlite3_extended_errcode(target.handle))
        }
        let step = sqlite3_backup_step(backup, -1)
        let finish = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE else { throw target.failure(step) }
        guard finish == SQLITE_OK else { throw target.failure(finish) }
    }
}

extension DatabaseFile {
    /// Makes the safety copy; nil if there is nothing to copy.
    fileprivate func keep() throws(SQLiteStoreError) -> String? {
        guard size > 0 else { return nil }
        var (name, number) = ("\(path).before-restore", 1)
        while DatabaseFile(name).exists {
            number += 1
            name = "\(path).before-restore-\(number)"
        }
        do throws(SQLiteStoreError) {
            try SQLiteStore.backup(path, to: name)
        } catch {
            guard error.code == .damaged else { throw error }
            // Rename the file last: after a kill before that, the damaged store is still in its place.
            for suffix in ["-shm", "-wal", ""] where DatabaseFile(path + suffix).exists {
                guard rename(path + suffix, name + suffix) == 0 else { throw .inaccessible(name, errno) }
            }
        }
        return name
    }
}
