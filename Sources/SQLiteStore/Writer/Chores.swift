/// The outcomes of sessions that are gone: found by nobody, and deleted a few in each transaction, since a session may have
/// ten thousand.
///
/// Where the process ends before, they go when their own time is over.
struct Remnants {
    /// Outcomes that are deleted in one transaction, for which commits wait: about 1 ms.
    private static let batch = 256

    /// The sessions, by the numbers that the file knew them by.
    private var sessions: [Int64] = []
    private var isUnderWay = false

    /// Notes that a session is gone.
    mutating func add(_ session: Int64) { sessions.append(session) }

    /// Whether a few are to be deleted now; the next time once that is done.
    mutating func take() -> Bool {
        guard !isUnderWay, !sessions.isEmpty else { return false }
        isUnderWay = true
        return true
    }

    /// Deletes a batch, of as many sessions as it takes.
    mutating func deleteSome(from rows: OutcomeRows) throws(SQLiteFailure) {
        var room = Self.batch
        // A session without outcomes costs a look.
        while room > 0, let session = sessions.last {
            let count = try rows.delete(of: session, limit: room)
            if count < room { sessions.removeLast() }
            room -= max(1, count)
        }
        isUnderWay = false
    }

    /// Gives up for now, because nothing can be written.
    mutating func stop() { isUnderWay = false }
}

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
