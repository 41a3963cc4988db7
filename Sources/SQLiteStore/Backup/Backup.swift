import CSQLite
import Foundation

/// A copy of a store, made by SQLite's online backup (https://sqlite.org/backup.html).
///
/// All pages are copied in one step, inside one read transaction: a copy in several steps begins anew whenever another
/// connection has written, and would never end. A write-ahead log lets writers go on meanwhile.
struct Backup {
    /// The store's file, absolute and without links.
    let source: String
    /// The file to be made, absolute.
    let target: String
    /// What it is called until it is whole.
    private var draft: String { target + "-partial" }

    init(source: String, target: String) {
        self.source = source
        self.target = target
    }

    /// Makes the copy under another name, checks it, and only then gives it its own.
    ///
    /// - Parameter takesParts: whether a store is copied, too, that has a part of another alone (``Filling``).
    func run(takesParts: Bool = false) throws(SQLiteStoreError) {
        let store = try Self.openStore(source, to: "be copied")
        let claim = try claimTarget()
        defer { close(claim) }
        do throws(SQLiteStoreError) {
            try make(draft)
            let part = try copy(store, to: draft)
            if let part, !takesParts { throw .unfinished(source, of: part) }
            guard rename(draft, target) == 0 else { throw .inaccessible(target, errno) }
            flushDirectory()
        } catch {
            unlink(draft)
            unlink(target)
            throw error
        }
    }

    /// Opens a store to be read from outside, as by another process.
    ///
    /// - Parameter purpose: what it cannot be used for where it is not there.
    static func openStore(_ source: String, to purpose: String) throws(SQLiteStoreError) -> Connection {
        try requireStore(source, to: purpose)
        guard !Restore.isUnfinished(source) else {
            throw SQLiteStoreError(
                .inaccessible,
                "\(source) cannot \(purpose): a restore to it was interrupted. Repeat that, or serve it.")
        }
        var isOwnLog = true
        do throws(SQLiteFailure) {
            let connection = try Connection(path: source, .read, patience: 10_000)
            // A server at work may begin its log anew between two looks; not each time.
            isOwnLog = (0..<3).contains { _ in LogMark.isOwnLog(connection, of: source) }
            if isOwnLog, try connection.integer("PRAGMA application_id") == Int64(Schema.application) {
                return connection
            }
        } catch {
            if error.primaryCode != SQLITE_NOTADB { throw SQLiteStoreError(source, error) }
        }
        throw isOwnLog ? .notBindery(source) : .otherLog(source)
    }

    /// - Throws: where there is no store, nor one that is to take its place.
    static func requireStore(_ source: String, to purpose: String) throws(SQLiteStoreError) {
        guard access(source, F_OK) == 0 || Restore.isUnfinished(source) else {
            throw SQLiteStoreError(.missing, "\(source) cannot \(purpose): \(String(cString: strerror(errno))).")
        }
    }

    /// Makes an empty file of the target's name, where there is none, or takes over that of a backup that was killed: from now
    /// on the name is this backup's.
    ///
    /// - Returns: the file, locked for as long as it is open.
    private func claimTarget() throws(SQLiteStoreError) -> Int32 {
        let isLeft = access(draft, F_OK) == 0
        let descriptor = Glibc.open(target, O_RDWR | O_CREAT | O_CLOEXEC | (isLeft ? 0 : O_EXCL), 0o600)
        let reason = errno
        guard descriptor >= 0 || reason == EEXIST else { throw .inaccessible(target, reason) }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_size == 0,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else {
            close(descriptor)
            throw SQLiteStoreError(.exists, "\(target) is there already; a backup overwrites nothing.")
        }
        return descriptor
    }

    /// Makes room for the draft, where an interrupted backup left its own: the name belongs to this one now.
    private func make(_ draft: String) throws(SQLiteStoreError) {
        unlink(draft)
        unlink(draft + "-journal")
        let reason = PrivateFile.create(draft)
        guard reason == 0 else { throw .inaccessible(draft, reason) }
    }

    /// - Returns: what the copy has a part of alone; nil where it is whole.
    private func copy(_ store: Connection, to draft: String) throws(SQLiteStoreError) -> String? {
        do throws(SQLiteFailure) {
            let copy = try Connection(path: draft, .write, patience: 0)
            guard let backup = sqlite3_backup_init(copy.handle, "main", store.handle, "main") else {
                throw copy.failure(sqlite3_extended_errcode(copy.handle))
            }
            let step = sqlite3_backup_step(backup, -1)
            let finish = sqlite3_backup_finish(backup)
            guard step == SQLITE_DONE else { throw copy.failure(step) }
            guard finish == SQLITE_OK else { throw copy.failure(finish) }
            // The copy says that it has a log, as the store has; without one it is a single file that needs no other.
            _ = try copy.text("PRAGMA journal_mode = DELETE")
            try LogMark.replace(copy)
            let finding = try copy.text("PRAGMA quick_check(1)") ?? ""
            guard finding == "ok" else { throw SQLiteFailure(code: SQLITE_CORRUPT, message: finding) }
            return try Filling.source(of: copy)
        } catch {
            // A damaged copy is the copy of a damaged store; any other trouble is with the file that is written.
            throw SQLiteStoreError(error.isDamage ? source : target, error)
        }
    }

    /// So that the name, too, is still there after a loss of power; where that cannot be had, the copy is good all the same.
    private func flushDirectory() {
        try? Restore.flush((target as NSString).deletingLastPathComponent)
    }
}
