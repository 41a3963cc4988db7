import CSQLite
import Foundation

extension SQLiteStoreError {
    static func inaccessible(_ path: String, _ reason: Int32) -> SQLiteStoreError {
        SQLiteStoreError(.inaccessible, "\(path) cannot be opened: \(String(cString: strerror(reason))).")
    }

    static func notBindery(_ path: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .notBindery, "\(path) is not a database of Bindery's; it was left as it is. Choose another file.")
    }

    static func newer(_ path: String, _ version: Int32, than known: Int32) -> SQLiteStoreError {
        SQLiteStoreError(
            .newer,
            "\(path) was written by a newer Bindery (schema \(version), this one knows \(known)); "
                + "it was left as it is. Use that Bindery, or restore a backup from before.")
    }

    static func damaged(_ path: String, _ finding: String) -> SQLiteStoreError {
        let finding = finding.split(whereSeparator: \.isNewline).joined(separator: "; ")
        return SQLiteStoreError(
            .damaged,
            "\(path) is damaged (\(finding)); it was left as it is. Restore a backup, or save what can be saved with "
                + "'sqlite3 \(path) .recover', or move it away with its -wal and -shm to begin with no sessions.")
    }

    static func readOnly(_ path: String) -> SQLiteStoreError {
        SQLiteStoreError(.inaccessible, "\(path) can be read only; let this user write to it, or choose another file.")
    }

    /// What a failure of SQLite's means for a file that is being opened, read or copied.
    init(_ path: String, _ failure: SQLiteFailure) {
        if failure.isDamage {
            self = .damaged(path, failure.message)
        } else {
            self.init(.inaccessible, "\(path) cannot be used: \(failure.message).")
        }
    }
}
