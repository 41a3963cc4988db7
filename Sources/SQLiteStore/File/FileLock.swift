import Foundation

/// The right to be the only store of a file, as long as this object lives.
///
/// It is a `flock(2)` on a file beside the database. SQLite locks the database itself by POSIX locks, which a second open and
/// close in the process would drop. The lock goes with the process, however that ends; the lock file stays.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, or names its holder.
    init(of path: String) throws(SQLiteStoreError) {
        let lockPath = path + "-lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(lockPath, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard reason == EWOULDBLOCK else { throw .inaccessible(lockPath, reason) }
            throw SQLiteStoreError(.inUse, "\(path) is in use by \(holder)")
        }
        self.descriptor = descriptor
        // For the message of the next process. Nothing else depends on it.
        let holder = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, holder, holder.count, 0) }
    }

    deinit {
        // A child between fork(2) and exec(2) has the descriptor too, so a close alone would not unlock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(count, 0)).prefix { (0x30...0x39).contains($0) }
        let process = String(decoding: digits, as: UTF8.self)
        if process == String(getpid()) { return "this process. Close the other store of it first." }
        let name = process.isEmpty ? "another process" : "process \(process)"
        return "\(name). Stop that process, or choose another file."
    }
}
