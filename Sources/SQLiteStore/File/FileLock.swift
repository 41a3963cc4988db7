import Foundation

/// Locks a file for one store, for the life of this object.
///
/// It is a `flock(2)` on a file beside the database. SQLite has POSIX locks on the database itself, and a second open and
/// close in the process would drop them. The kernel unlocks when the process ends, in any way; the lock file stays.
final class FileLock: Sendable {
    private let descriptor: Int32

    init(of path: String) throws(SQLiteStoreError) {
        let lockPath = path + "-lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(lockPath, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            guard reason == EWOULDBLOCK else { throw .inaccessible(lockPath, reason) }
            throw SQLiteStoreError(
                .inUse, "\(path) is in use by another Bindery. Stop that process, or choose another file.")
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child between fork(2) and exec(2) has the descriptor too, so a close alone would not unlock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
