import CSQLite

/// A compiled statement, on its connection's thread.
///
/// Bind, step, read, and call ``reset()`` before the next use: a statement that is not reset keeps its transaction open.
final class Statement {
    private let handle: OpaquePointer
    // Keeps the connection open for as long as there is a statement of it.
    private let connection: Connection

    init(_ text: String, on connection: Connection) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard let prepared, code == SQLITE_OK else { throw connection.failure(code) }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds a number; parameters are counted from 1.
    func bind(_ value: Int64, _ index: Int32) throws(SQLiteFailure) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a number, or NULL.
    func bind(_ value: Int64?, _ index: Int32) throws(SQLiteFailure) {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try bind(value, index)
    }

    /// Binds a copy of a text.
    func bind(_ value: String, _ index: Int32) throws(SQLiteFailure) {
        try check(csqlite_bind_text(handle, index, value, Int32(value.utf8.count)))
    }

    /// Binds a copy of bytes.
    func bind(_ value: [UInt8], _ index: Int32) throws(SQLiteFailure) {
        try check(csqlite_bind_bytes(handle, index, value, Int32(value.count)))
    }

    /// Binds a copy of bytes, or NULL.
    func bind(_ value: [UInt8]?, _ index: Int32) throws(SQLiteFailure) {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try bind(value, index)
    }

    /// Goes on to the next row.
    ///
    /// - Returns: false where there is none.
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

    /// Runs a statement that gives no rows, to its end.
    func run() throws(SQLiteFailure) {
        _ = try step()
        reset()
    }

    /// Makes the statement ready for another use; what is bound stays bound.
    func reset() { sqlite3_reset(handle) }

    /// The number in a column; columns are counted from 0.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The number in a column, or nil for NULL.
    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
    }

    /// The text in a column, empty for NULL.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// The bytes in a column, empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        // First the pointer, then the count, as https://sqlite.org/c3ref/column_blob.html asks.
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Whether a column holds nothing.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Whether a column holds bytes rather than text.
    func isBytes(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }

    private func check(_ code: Int32) throws(SQLiteFailure) {
        guard code == SQLITE_OK else { throw connection.failure(code) }
    }
}
