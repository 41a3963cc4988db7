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

/// A compiled statement; only the thread of its connection may use it.
///
/// Bind, step, read, reset. A statement that is not reset keeps its transaction open.
final class Statement {
    private let handle: OpaquePointer
    // Keeps the connection open.
    private let connection: Connection

    init(_ text: String, on connection: Connection) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard let prepared, code == SQLITE_OK else { throw connection.failure(code) }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds the parameters, in their order.
    func bind<each Value: Bindable>(_ values: repeat each Value) throws(SQLiteFailure) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            let code = value.bind(to: handle, index)
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
    }

    /// Goes to the next row; false if there is none.
    func step() throws(SQLiteFailure) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let failure = connection.failure(code)
            reset()
            throw failure
        }
        return false
    }

    /// Binds the parameters of a statement that gives no rows, runs it, and resets it.
    func run<each Value: Bindable>(_ values: repeat each Value) throws(SQLiteFailure) {
        try bind(repeat each values)
        _ = try step()
        reset()
    }

    /// Makes the statement ready for the next use; bound values stay.
    func reset() { sqlite3_reset(handle) }

    /// The number in a column; columns count from 0.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bits of the number in a column.
    func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    /// The text in a column, empty for NULL.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// The bytes in a column, empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        // Read the pointer before the count (https://sqlite.org/c3ref/column_blob.html).
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
}

/// A value of a parameter, or NULL; SQLite copies texts and bytes.
protocol Bindable {
    /// Binds it to a parameter, counted from 1; returns SQLite's result code.
    func bind(to statement: OpaquePointer, _ index: Int32) -> Int32
}

extension Int64: Bindable {
    func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
}

extension UInt64: Bindable {
    /// Binds the bits, since SQLite's numbers have a sign.
    func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
        Int64(bitPattern: self).bind(to: statement, index)
    }
}

extension String: Bindable {
    func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
        csqlite_bind_text(statement, index, self, Int32(utf8.count))
    }
}

extension [UInt8]: Bindable {
    func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
        csqlite_bind_bytes(statement, index, self, Int32(count))
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
        self?.bind(to: statement, index) ?? sqlite3_bind_null(statement, index)
    }
}

/// An error of SQLite.
struct SQLiteFailure: Error, Equatable {
    /// The extended result code (https://sqlite.org/rescode.html).
    let code: Int32
    /// SQLite's message; it may name statements and files, but no stored values.
    let message: String

    /// The result code without its extension.
    var primaryCode: Int32 { code & 0xff }

    /// Whether the file is damaged, so that a retry would fail again.
    var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// The file was moved or deleted while the store was open, so a restart would not find new commits.
    static let moved = SQLiteFailure(
        code: SQLITE_IOERR, message: "the file was moved or deleted while it was in use; put it back or restart")
}
