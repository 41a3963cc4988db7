import CSQLite

/// A compiled statement, used by the thread that has its connection.
///
/// Bind, step, read, reset. A statement that is not reset keeps its transaction open.
final class Statement {
    private let handle: OpaquePointer
    // A statement needs its connection open.
    private let connection: Connection

    init(_ text: String, on connection: Connection) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard let prepared, code == SQLITE_OK else { throw connection.failure(code) }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds a number, or NULL; parameters count from 1.
    func bind(_ value: Int64?, _ index: Int32) throws(SQLiteFailure) {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try check(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds the bits of a number, since SQLite's numbers have a sign, or NULL.
    func bind(_ value: UInt64?, _ index: Int32) throws(SQLiteFailure) {
        try bind(value.map(Int64.init(bitPattern:)), index)
    }

    /// Binds a copy of a text, or NULL.
    func bind(_ value: String?, _ index: Int32) throws(SQLiteFailure) {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try check(csqlite_bind_text(handle, index, value, Int32(value.utf8.count)))
    }

    /// Binds a copy of bytes.
    func bind(_ value: [UInt8], _ index: Int32) throws(SQLiteFailure) {
        try check(csqlite_bind_bytes(handle, index, value, Int32(value.count)))
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

    /// Runs a statement that gives no rows, and resets it.
    func run() throws(SQLiteFailure) {
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
        // The pointer before the count (https://sqlite.org/c3ref/column_blob.html).
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    private func check(_ code: Int32) throws(SQLiteFailure) {
        guard code == SQLITE_OK else { throw connection.failure(code) }
    }
}
