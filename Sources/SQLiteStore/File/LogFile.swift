import Glibc

/// Which file the write-ahead log is: whether it is still the one that lies beside the database.
struct LogFile {
    private let path: String
    private var known: (device: dev_t, inode: ino_t)?

    /// - Parameter path: the database's.
    init(of path: String) {
        self.path = path + "-wal"
        known = current
    }

    private var current: (device: dev_t, inode: ino_t)? {
        var status = stat()
        return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }

    /// Whether it was moved or deleted: what is written to it then is found by nobody.
    ///
    /// Costs one stat(2).
    var hasMoved: Bool {
        mutating get {
            let current = current
            guard let known else {
                // Made by the first who read.
                known = current
                return false
            }
            return current?.device != known.device || current?.inode != known.inode
        }
    }
}
