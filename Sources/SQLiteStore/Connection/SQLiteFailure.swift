import CSQLite
import Sessions

/// What SQLite said when it did not do what it was told.
struct SQLiteFailure: Error, Equatable {
    /// The extended result code (https://sqlite.org/rescode.html).
    let code: Int32
    /// SQLite's own words, in English; of statements and files, never of what is stored.
    let message: String
    /// Whether what failed may be done all the same.
    private var isInDoubt = false

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xff }

    /// Whether the file itself is damaged, so that trying again is of no use.
    var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether there may be no room for what was to be written: SQLite calls a disk full, but not a quota or a largest size of
    /// files that is reached, which are errors of writing (`SQLITE_IOERR_WRITE`, `SQLITE_IOERR_SHMSIZE`).
    var isLackOfRoom: Bool {
        primaryCode == SQLITE_FULL || code == SQLITE_IOERR | 3 << 8 || code == SQLITE_IOERR | 19 << 8
    }

    /// All that ``reason`` says.
    static let reasons = ["disk-full", "locked", "damaged", "not-permitted", "input-output", "other"]

    /// What it is called in a measure: one of a few words.
    var reason: String {
        switch primaryCode {
        case SQLITE_FULL: "disk-full"
        case SQLITE_BUSY, SQLITE_LOCKED: "locked"
        case SQLITE_CORRUPT, SQLITE_NOTADB: "damaged"
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN: "not-permitted"
        case SQLITE_IOERR: "input-output"
        default: "other"
        }
    }
}

extension SQLiteFailure {
    /// The failure of a transaction's last word.
    var inDoubt: SQLiteFailure {
        var failure = self
        failure.isInDoubt = true
        return failure
    }

    /// What it is to whoever asked the store.
    var storeFailure: StoreFailure { isDamage ? .unreadable(message) : isInDoubt ? .unknown : .notSent }

    /// A row that this program did not write.
    static func unreadable(_ what: String) -> SQLiteFailure {
        SQLiteFailure(
            code: SQLITE_CORRUPT, message: "\(what) cannot be read: damaged, or written by a newer Bindery")
    }

    /// The file was moved or deleted while it was in use: what is written there is not found after a restart.
    static let moved = SQLiteFailure(
        code: SQLITE_IOERR, message: "the file was moved or deleted while it was in use")

    /// The log was moved or deleted while it was in use: what is written there is not found after a restart.
    static let logMoved = SQLiteFailure(
        code: SQLITE_IOERR,
        message:
            "the log beside it was moved or deleted while it was in use, and what it held was copied into the file; stop this "
            + "Bindery and start it again")

    /// The same, and it cannot be copied into the file yet.
    static let logHeldUp = SQLiteFailure(
        code: SQLITE_IOERR,
        message:
            "the log beside it was moved or deleted while it was in use, and cannot be copied into the file as long as somebody "
            + "reads that: end whoever does, and do not stop this Bindery before it says that the log was copied")

    /// Another process may have taken the lock, and write the file by now.
    static let unlocked = SQLiteFailure(
        code: SQLITE_IOERR,
        message:
            "the lock file beside it was moved or deleted while it was in use; stop this Bindery and start it again")
}
