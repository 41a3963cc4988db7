import CSQLite

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
