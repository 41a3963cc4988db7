import Foundation

/// Puts a copy of a store where a store is, or was.
///
/// The backup is copied beside the store and checked there. Then that copy is given the name of the *successor*, and from
/// here on nothing can fail but a rename: the files of the store are moved aside, the successor takes their place. Where the
/// process is killed meanwhile, whoever opens the store next finds the successor and goes on. So at any moment either the
/// store from before is there with all that belongs to it, or a successor is, and no file stands beside another's log.
struct Restore: Sendable {
    /// The backup, absolute.
    let source: String
    /// The store's file, absolute and without links.
    let target: String
    /// Called whenever the files have changed; tests look at them.
    var onChange: @Sendable () -> Void = {}

    /// A store may have these beside it, the file itself last: without it the others are of no use to anybody.
    private static let companions = ["-journal", "-shm", "-wal", ""]

    /// The name of a copy that was checked and is about to take the store's place.
    static func successor(of target: String) -> String { target + ".restored" }

    /// Whether a restore was interrupted that is to be finished before the file is used.
    static func isUnfinished(_ target: String) -> Bool { isThere(successor(of: target)) }

    /// Restores the backup.
    ///
    /// - Returns: where the store from before is kept; nil where there was none.
    func run() throws(SQLiteStoreError) -> String? {
        guard source != target, !isSameFile else {
            throw SQLiteStoreError(.exists, "\(target) is the store itself; name a backup of it.")
        }
        let lock = try FileLock(of: target)
        let draft = target + ".restoring"
        do throws(SQLiteStoreError) {
            // What an interrupted restore has left; the names are this one's now.
            for name in ["", "-partial", "-partial-journal", "-compact", "-compact-journal"] { unlink(draft + name) }
            try Backup(source: source, target: draft).run()
            onChange()
            try checkVersion(of: draft)
            try compactIfFixed(draft)
            onChange()
            try Self.move(draft, to: Self.successor(of: target))
        } catch {
            unlink(draft)
            throw error
        }
        onChange()
        let kept = try finish()
        // Held until the store is whole again.
        _ = consume lock
        return kept
    }

    /// Puts the successor in the place of the store; for whoever has the store's ``FileLock``.
    ///
    /// - Returns: where the store from before is kept; nil where there is none.
    func finish() throws(SQLiteStoreError) -> String? {
        let present = Self.companions.filter { Self.isThere(target + $0) }
        // One that was moved before the interruption and those that are moved now come under one name.
        let kept = Self.places(of: target).first { place in
            !Self.isThere(place) && present.allSatisfy { !Self.isThere(place + $0) }
        }
        guard let kept else {
            throw SQLiteStoreError(.exists, "\(target) was restored very often; delete some of the stores from before.")
        }
        for suffix in present {
            try Self.move(target + suffix, to: kept + suffix)
            onChange()
        }
        try Self.move(Self.successor(of: target), to: target)
        onChange()
        return present.isEmpty ? nil : kept
    }

    private static func places(of target: String) -> [String] {
        (1...99).map { $0 == 1 ? "\(target).before-restore" : "\(target).before-restore.\($0)" }
    }

    private var isSameFile: Bool {
        var (one, other) = (stat(), stat())
        return stat(source, &one) == 0 && stat(target, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }

    private func checkVersion(of draft: String) throws(SQLiteStoreError) {
        guard let version = try DatabaseHeader.read(draft)?.version else { throw .notBindery(source) }
        let known = Schema.current.version
        guard version.isReadable(by: known) else { throw .newer(source, version.schema, than: known) }
    }

    /// Lets a file that an earlier Bindery made become smaller from now on: that is decided when a file is made, and can be
    /// changed by writing all of it anew only (https://sqlite.org/pragma.html#pragma_auto_vacuum).
    private func compactIfFixed(_ draft: String) throws(SQLiteStoreError) {
        let compact = draft + "-compact"
        do throws(SQLiteFailure) {
            let connection = try Connection(path: draft, .write, patience: 0)
            guard try connection.integer("PRAGMA auto_vacuum") == 0 else { return }
            let reason = PrivateFile.create(compact)
            guard reason == 0 else { throw SQLiteFailure(code: reason, message: String(cString: strerror(reason))) }
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            let statement = try connection.prepare("VACUUM INTO ?1")
            try statement.bind(compact, 1)
            try statement.run()
        } catch {
            unlink(compact)
            throw SQLiteStoreError(draft, error)
        }
        do throws(SQLiteStoreError) {
            try Self.flush(compact)
            try Self.move(compact, to: draft)
        } catch {
            unlink(compact)
            throw error
        }
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Gives a file another name, so that a loss of power does not bring the old one back once a later step was done.
    private static func move(_ path: String, to other: String) throws(SQLiteStoreError) {
        guard rename(path, other) == 0 else { throw .inaccessible(path, errno) }
        try flush((path as NSString).deletingLastPathComponent)
    }

    /// Brings a file, or the names in a directory, to the disk.
    static func flush(_ path: String) throws(SQLiteStoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inaccessible(path, errno) }
        defer { close(descriptor) }
        // Some file systems cannot flush a directory, and say so by EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .inaccessible(path, errno) }
    }
}
