import Foundation

/// The right to be a database's only store, for as long as it lives.
///
/// A `flock(2)` on a file beside the database, not on the database itself: where such a lock is emulated by a POSIX lock,
/// as over NFS, the two would get in each other's way. It goes with the process, however that ends; the file stays,
/// because deleting it would let two processes lock two files of one name. `locking_mode=EXCLUSIVE` is no
/// alternative: it would shut out this store's own readers, and a backup by another process.
struct FileLock: ~Copyable {
    private let lockPath: String
    private let descriptor: Int32
    // Which file it is: inode numbers are not used again while a descriptor is open.
    private let device: dev_t
    private let inode: ino_t

    /// Takes the lock, or says who has it.
    ///
    /// - Parameter path: the database, without links (``RealPath``): by another name it would have another lock.
    init(of path: String) throws(SQLiteStoreError) {
        let lockPath = path + "-lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(lockPath, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let owner = Self.owner(descriptor)
            close(descriptor)
            guard reason == EWOULDBLOCK else { throw .inaccessible(lockPath, reason) }
            throw SQLiteStoreError(.inUse, "\(path) is in use by \(owner)")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = errno
            close(descriptor)
            throw .inaccessible(lockPath, reason)
        }
        self.lockPath = lockPath
        (device, inode) = (status.st_dev, status.st_ino)
        self.descriptor = descriptor
        // For the message of whoever comes next; nothing depends on it.
        let owner = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, owner, owner.count, 0) }
    }

    /// Whether whoever else wants the lock meets this one.
    ///
    /// False where its file was moved or deleted. Costs one stat(2).
    var isEffective: Bool {
        var status = stat()
        return stat(lockPath, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    deinit {
        // Not by closing alone: a child between fork(2) and exec(2) has the descriptor too, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func owner(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(count, 0)).prefix { (0x30...0x39).contains($0) }
        let process = String(decoding: digits, as: UTF8.self)
        if process == String(getpid()) { return "this process itself; close the store that has it first." }
        let which = process.isEmpty ? "" : ", process \(process)"
        return "another Bindery\(which); stop that one or give this one another file."
    }
}
