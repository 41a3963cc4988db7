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
