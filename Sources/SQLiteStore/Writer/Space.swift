/// Decides when a file is made smaller, and when that is enough.
///
/// The pages of sessions that were deleted are used again by those to come; only where much of the file is free is it given
/// back, all of it, a few pages a transaction (https://sqlite.org/pragma.html#pragma_incremental_vacuum).
struct Space {
    private enum Progress { case idle, due, underWay }

    private let free: Statement
    private let all: Statement
    /// Whether the file can become smaller: it was made so, or compacted by a restore.
    private let isPossible: Bool
    private let keptPages: Int64
    private var progress = Progress.idle
    /// Whether all that was free was given back; for whoever copies the log to set back.
    var hasShrunk = false

    init(_ connection: Connection, keptPages: Int64) throws(SQLiteFailure) {
        free = try connection.prepare("PRAGMA freelist_count")
        all = try connection.prepare("PRAGMA page_count")
        isPossible = try connection.integer("PRAGMA auto_vacuum") == 2
        self.keptPages = keptPages
    }

    /// Looks what is free, after a group that may have freed something.
    mutating func look() throws(SQLiteFailure) {
        guard isPossible else { return }
        let free = try read(free)
        if progress == .underWay {
            progress = free > 0 ? .due : .idle
            if free == 0 { hasShrunk = true }
            return
        }
        let all = try read(all)
        if free >= keptPages, free >= all / 4 { progress = .due }
    }

    /// Whether a few pages are to be given back now; the next time after the next look.
    mutating func take() -> Bool {
        guard progress == .due else { return false }
        progress = .underWay
        return true
    }

    /// Gives up, because nothing can be written; the next deletion looks again.
    mutating func stop() { progress = .idle }

    private func read(_ statement: Statement) throws(SQLiteFailure) -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
