import CSQLite

/// One connection to a database.
///
/// It belongs to the thread that opened it: SQLite is told to do without locks of its own (`SQLITE_OPEN_NOMUTEX`), and
/// the type is not Sendable, so that the compiler keeps it there.
final class Connection {
    /// What a connection may do.
    enum Access {
        /// Read and write; a file that is not there is made.
        case write
        /// Read only.
        case read
        /// Read the file as it is without its log, and without any lock: for whoever knows that nobody writes it.
        case readWithoutLog
    }

    let handle: OpaquePointer
    /// Written by the hook after each transaction; on the heap, because C keeps its address.
    private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - path: absolute, so that SQLite reads neither `file:` nor `:memory:` into it.
    ///   - patience: milliseconds to wait for another connection's lock.
    init(path: String, _ access: Access, patience: Int32) throws(SQLiteFailure) {
        precondition(path.hasPrefix("/"), "A path that is not absolute may be read as a URI.")
        let flags =
            switch access {
            case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .read: SQLITE_OPEN_READONLY
            case .readWithoutLog: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .readWithoutLog ? Self.immutable(path) : path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened, code == SQLITE_OK else {
            let failure = SQLiteFailure(code: code, message: Self.message(opened, code))
            // "Whether or not an error occurs", the handle is to be released (https://sqlite.org/c3ref/open.html).
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        logPages.initialize(to: 0)
        sqlite3_busy_timeout(handle, patience)
        // Only a store that was closed on purpose leaves no log behind: that is how an unclean start is noticed, and why
        // a file that is refused stays as it is.
        csqlite_checkpoint_on_close(handle, 0)
    }

    deinit {
        // A connection whose statements still live is closed with the last of them.
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Runs statements that give no rows, or whose rows are of no interest.
    func execute(_ statements: String) throws(SQLiteFailure) {
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Compiles one statement, to be run many times.
    func prepare(_ statement: String) throws(SQLiteFailure) -> Statement { try Statement(statement, on: self) }

    /// The first column of the first row as a number; nil where there is no row.
    func integer(_ statement: String) throws(SQLiteFailure) -> Int64? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row as text; nil where there is no row.
    func text(_ statement: String) throws(SQLiteFailure) -> String? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Whether there is a table of that name.
    func hasTable(_ name: String) throws(SQLiteFailure) -> Bool {
        try integer("SELECT 1 FROM sqlite_schema WHERE name = '\(name)'") != nil
    }

    /// Does what a body does in one transaction: the whole of it, or where it throws nothing.
    func transaction(_ body: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteFailure) {
            try body()
            try execute("COMMIT")
        } catch {
            // SQLite may have rolled it back already.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the latest statement that changes rows has changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Whether the file could be opened for reading only, though writing was asked for.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

    /// Whether another file, or none, stands at the path by now.
    var hasMoved: Bool {
        var hasMoved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }

    /// The pages in the write-ahead log after the latest transaction of this connection, once ``watchLog()`` was called.
    var pagesInLog: Int32 { logPages.pointee }

    /// Counts the pages of the log, and leaves its checkpoints to the caller (https://sqlite.org/c3ref/wal_hook.html).
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    /// Copies the log into the database as far as readers allow, without waiting for them.
    ///
    /// - Returns: whether all of it is in the database now; the next transaction may then begin it anew.
    @discardableResult
    func checkpoint() -> Bool {
        var (pages, copied): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
        return code == SQLITE_OK && pages == copied
    }

    /// Copies the whole log into the database; when the last connection is then closed, the log is deleted.
    func finishLog() {
        csqlite_checkpoint_on_close(handle, 1)
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }

    /// The failure that a result code stands for.
    func failure(_ code: Int32) -> SQLiteFailure { SQLiteFailure(code: code, message: Self.message(handle, code)) }

    /// The URI of a file that is taken to be unchanging, so that neither a log nor a lock is looked for
    /// (https://sqlite.org/uri.html).
    private static func immutable(_ path: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        let escaped = path.utf8.flatMap { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte)
                || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                ? [byte] : [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
        }
        return "file:\(String(decoding: escaped, as: UTF8.self))?immutable=1"
    }

    private static func message(_ handle: OpaquePointer?, _ code: Int32) -> String {
        // sqlite3_errmsg of no handle says "out of memory", which is then true.
        handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
    }
}
