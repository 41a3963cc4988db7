import CSQLite
import Foundation

extension SQLiteStoreError {
    static func inaccessible(_ path: String, _ reason: Int32) -> SQLiteStoreError {
        let advice =
            switch reason {
            case EACCES, EPERM: " " + permission(to: path)
            case ENOENT: " Make the directory \(directory(of: path)), or choose another file."
            case EROFS:
                " The file system of \(directory(of: path)) is mounted read-only: mount it otherwise, or choose another file."
            case EISDIR: " Name a file in it."
            default: ""
            }
        return SQLiteStoreError(
            .inaccessible, "\(path) cannot be opened: \(String(cString: strerror(reason))).\(advice)")
    }

    /// A copy was made, and an old one is still there.
    static func unremoved(_ path: String, _ reason: Int32, after copy: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .inaccessible,
            "\(copy) was made, but the old \(path) cannot be removed: \(String(cString: strerror(reason))). Remove it by hand."
        )
    }

    private static func directory(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    /// Whose the file is, or the directory where it is to be, who this process is, and what would help.
    private static func permission(to path: String) -> String {
        var status = stat()
        let places: [String] = [path, directory(of: path)]
        guard let place = places.first(where: { (name: String) in stat(name, &status) == 0 }) else {
            return "This process is user \(geteuid()), group \(getegid()), and may not even look there."
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        return "\(place) belongs to user \(status.st_uid), group \(status.st_gid), mode \(mode); this process is user "
            + "\(geteuid()), group \(getegid()). Give it to that user ('chown \(geteuid()) \(place)'), in a container by a volume "
            + "that is his, or choose another file."
    }

    static func notBindery(_ path: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .notBindery, "\(path) is not a database of Bindery's; it was left as it is. Choose another file.")
    }

    static func unfinished(_ path: String, of source: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .unfinished,
            "\(path) has a part of \(source) alone: a copy was broken off. Copy again, which begins anew, or choose another file."
        )
    }

    static func newer(_ path: String, _ version: Int32, than known: Int32) -> SQLiteStoreError {
        SQLiteStoreError(
            .newer,
            "\(path) was written by a newer Bindery (schema \(version), this one knows \(known)); "
                + "it was left as it is. Use that Bindery, or \(wayBack(path, from: version, to: known)).")
    }

    /// Where a copy that was kept before a migration is in reach, it is named.
    private static func wayBack(_ path: String, from version: Int32, to known: Int32) -> String {
        let copies = known < version ? ((known + 1)...version).flatMap { Self.copies(of: path, before: $0) } : []
        // One that is empty was being made when the process was killed.
        guard let copy = copies.first(where: { (try? DatabaseHeader.read($0)) != nil }) else {
            return "restore a backup from before"
        }
        return "go back to how it was before, which is kept as \(copy)"
    }

    /// The names under which a file is kept before it is led to a version of the schema, in the order in which they are
    /// taken; a copy is never overwritten.
    static func copies(of path: String, before version: Int32) -> [String] {
        (1...9).map { $0 == 1 ? "\(path).before-\(version)" : "\(path).before-\(version).\($0)" }
    }

    static func uncopied(_ path: String, to version: Int32, _ reason: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .inaccessible,
            "\(path) has to be led to schema \(version), and no copy of it could be kept before "
                + "(\(reason.trimmingCharacters(in: ["."]))); it was left as it is. Make room beside it for as much as it has."
        )
    }

    static func damaged(_ path: String, _ finding: String) -> SQLiteStoreError {
        let finding = finding.split(whereSeparator: \.isNewline).joined(separator: "; ")
        return SQLiteStoreError(
            .damaged,
            "\(path) is damaged (\(finding)); it was left as it is. Restore a backup, or save what can be saved with "
                + "'sqlite3 \(path) .recover', or move it away with its -wal and -shm to begin with no sessions.")
    }

    static func otherLog(_ path: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .otherLog,
            "\(path)-wal is the log of another file than \(path), as where a backup was put in the place of a store that had "
                + "been killed; both were left as they are. If \(path) is what is wanted, delete \(path)-wal and "
                + "\(path)-shm, and what they hold; if the store from before is, put its file back. "
                + "SQLiteStore.restore, or 'bindery restore BACKUP --store sqlite:\(path)', puts a backup there with all that belongs to it."
        )
    }

    static func hardLinked(_ path: String, names: Int) -> SQLiteStoreError {
        SQLiteStoreError(
            .hardLinked,
            "\(path) is one of \(names) names of one file (hard links); each would have a lock and a log of its own, and what is "
                + "written under one would be lost under another. It was left as it is. Delete the other names, which 'find DIR "
                + "-samefile \(path)' finds, or serve a copy of it.")
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
