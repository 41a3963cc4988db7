import CSQLite

/// A connection to a database.
///
/// SQLite does not lock it (`SQLITE_OPEN_NOMUTEX`), so one thread at a time may use it. The type is not Sendable, so the
/// compiler keeps a connection inside a lock or on one thread.
final class Connection {
    let handle: OpaquePointer

    /// Opens a connection to an existing file.
    ///
    /// - Parameters:
    ///   - path: absolute, because SQLite gives `file:` and `:memory:` a meaning.
    ///   - writes: whether the connection may write.
    init(_ path: String, writes: Bool = false) throws(SQLiteFailure) {
        precondition(path.hasPrefix("/"), "SQLite may read a relative path as a URI.")
        let flags = writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened, code == SQLITE_OK else {
            let failure = SQLiteFailure(code: code, message: Self.message(opened, code))
            // A failed open also returns a handle that must be closed (https://sqlite.org/c3ref/open.html).
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        // It waits up to a second for the lock of another process.
        sqlite3_busy_timeout(handle, 1_000)
    }

    // If statements still exist, SQLite closes the connection after the last one.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements and ignores their rows.
    func execute(_ statements: String) throws(SQLiteFailure) {
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Compiles a statement that runs many times.
    func prepare(_ statement: String) throws(SQLiteFailure) -> Statement { try Statement(statement, on: self) }

    /// The first column of the first row; nil if there is no row.
    func integer(_ statement: String) throws(SQLiteFailure) -> Int64? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row; nil if there is no row.
    func text(_ statement: String) throws(SQLiteFailure) -> String? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Whether another file, or none, is at the path now; costs one stat(2).
    var hasMoved: Bool {
        var hasMoved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }

    /// Checks the file for damage; reads all of it.
    func check() throws(SQLiteFailure) {
        let finding = try text("PRAGMA integrity_check(1)") ?? ""
        guard finding == "ok" else { throw SQLiteFailure(code: SQLITE_CORRUPT, message: finding) }
    }

    /// The failure of a result code.
    func failure(_ code: Int32) -> SQLiteFailure { SQLiteFailure(code: code, message: Self.message(handle, code)) }

    private static func message(_ handle: OpaquePointer?, _ code: Int32) -> String {
        handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
    }
}
