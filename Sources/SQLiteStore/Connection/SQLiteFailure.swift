import CSQLite

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
