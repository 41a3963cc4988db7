internal import Events
import Sessions
import StoreParts

/// Stores groups of work, each as one transaction; on the writer's thread.
///
/// A group's commits are folded by session first, each against how its session then stands, and a session's rows are
/// written once, whatever the number of its commits. Work that is no commit is done in its turn, after what came before
/// it was written.
final class GroupCommit {
    private let connection: Connection
    private let checkpointer: Checkpointer?
    /// Reads for as long as the checkpointer is at it.
    private let holder: Connection?
    private let rows: SessionRows
    private let begin: Statement
    private let end: Statement
    private let dataVersion: Statement
    private let settings: Settings
    private let mark: Incarnation
    private let path: String
    private var log: LogFile
    /// Whether the log was moved, and not all of it could be copied.
    private var isLogHeldUp = false
    private var standings: Standings
    private var fold = Fold()
    private let fileVersion: Int64
    private var nextNumber: Int64
    /// How many sessions there are.
    private(set) var count: Int
    /// What ``dataVersion`` said of what is known here.
    private var knownVersion: Int64
    private var isFlushing: Bool
    private var checkpointAt: Int32
    /// Whether the log may be begun anew by the next transaction (``LogMark``).
    private var isMarkDue: Bool
    /// Whether the latest group did not fit on the disk.
    private var isDiskFull = false
    private var space: Space
    private var remnants = Remnants()

    init(
        _ connection: Connection, _ path: String, _ settings: Settings, _ mark: Incarnation, checkpointer: Checkpointer?
    ) throws(SQLiteFailure) {
        self.mark = mark
        self.path = path
        log = LogFile(of: path)
        self.connection = connection
        self.checkpointer = checkpointer
        holder = checkpointer == nil ? nil : try Connection(path: path, .read, patience: settings.patience)
        self.settings = settings
        rows = try SessionRows(connection, now: settings.now)
        begin = try connection.prepare("BEGIN IMMEDIATE")
        end = try connection.prepare("COMMIT")
        dataVersion = try connection.prepare("PRAGMA data_version")
        standings = Standings(limit: settings.knownSessions)
        fileVersion = try connection.integer("PRAGMA user_version") ?? 0
        // Before what is read of the sessions: what another writes meanwhile is then seen by the first group.
        knownVersion = try connection.integer("PRAGMA data_version") ?? 0
        nextNumber = try Self.freeNumber(connection)
        count = try Self.count(connection)
        isFlushing = settings.durability == .power
        checkpointAt = settings.checkpointPages
        isMarkDue = LogMark.begin(connection, fileVersion: fileVersion)
        space = try Space(connection, keptPages: settings.keptPages)
        connection.watchLog()
    }

    /// What became of a group.
    struct Stored {
        /// What is to be told, to each its own.
        var answers: [() -> Void] = []
        /// How many sessions there are more than before.
        fileprivate var growth = 0
        /// Whether another connection has written since the group before.
        fileprivate(set) var isAfterOthers = false
    }

    /// Stores a group, all that can be stored of it or nothing.
    ///
    /// - Returns: what is to be told when the transaction is over.
    func store(_ group: [Work]) throws(SQLiteFailure) -> Stored {
        let left = remnants
        do throws(SQLiteFailure) {
            // A commit written to a deleted file, or to a deleted log, would be lost; do not acknowledge it. A stat(2) each.
            guard !connection.hasMoved else { throw SQLiteFailure.moved }
            guard !log.hasMoved else { throw rescued() }
            try flush(settings.durability == .power && group.contains(where: \.isToLast))
            try begin.run()
            var stored = Stored()
            let version = try readDataVersion()
            if version != knownVersion { try takeOver(&stored) }
            if isMarkDue { try connection.execute(LogMark.renewal(fileVersion: fileVersion)) }
            stored.answers.reserveCapacity(group.count)
            for work in group { try take(work, &stored) }
            try writeFold()
            // What was written may be found all the same when the log is read again.
            do throws(SQLiteFailure) { try end.run() } catch { throw error.inDoubt }
            isMarkDue = false
            isDiskFull = false
            knownVersion = version
            count += stored.growth
            if group.contains(where: \.freesSpace) { try? space.look() }
            return stored
        } catch {
            isDiskFull = error.isLackOfRoom
            space.stop()
            // Sessions that are there still have their outcomes.
            remnants = left
            remnants.stop()
            fold.removeAll()
            // They describe rows that were rolled back.
            standings.removeAll()
            // After some failures SQLite has rolled back already (https://sqlite.org/lang_transaction.html).
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Copies what the log holds into the file, while somebody has it open: it is found by nobody else any more.
    ///
    /// As long as somebody reads the file, not all of it can be copied, and the file by itself would be torn: tried again for each
    /// group.
    private func rescued() -> SQLiteFailure {
        let isCopied = connection.checkpoint()
        if isCopied, isLogHeldUp { tellLost(.logMoved) }
        isLogHeldUp = !isCopied
        return isCopied ? .logMoved : .logHeldUp
    }

    /// At the end there is no next group: waits for readers for a while.
    private func rescueAtTheEnd() {
        for _ in 0..<25 where !connection.checkpoint() { Pause.wait(.milliseconds(200)) }
        if !connection.checkpoint() { tellLost(.logHeldUp) }
    }

    private func tellLost(_ failure: SQLiteFailure) {
        settings.log?.record(
            Event(.storeLost, ["path": .text(path), "access": "write", "reason": .text(failure.message)]))
    }

    /// A number that is another than before where another connection has written.
    ///
    /// See https://sqlite.org/pragma.html#pragma_data_version. Asked inside a transaction it costs 0.1 µs, of 7 that the
    /// smallest transaction takes. The checkpointer and the holder do not move it, since they write no rows; a
    /// `PRAGMA wal_checkpoint(TRUNCATE)` by another process does. All of that was measured.
    private func readDataVersion() throws(SQLiteFailure) -> Int64 {
        defer { dataVersion.reset() }
        return try dataVersion.step() ? dataVersion.integer(0) : knownVersion
    }

    /// Forgets what is known of the file, because another connection has written it: no commit may be stored on a version that
    /// it has no longer, nor a session under a number that is taken.
    ///
    /// The lock (``FileLock``) keeps other stores out, but neither other programs nor a store for which `flock(2)` is another
    /// kernel's. To go on is safe, since each commit is compared with what is read now; to store nothing more would stop both
    /// of two stores, and one after a harmless checkpoint. The file may have been put back to an older copy all the same: what
    /// is committed from now on is in another incarnation, and begins a chapter of its session's history.
    private func takeOver(_ stored: inout Stored) throws(SQLiteFailure) {
        standings.removeAll()
        // Their numbers may have been given to others since; what is left of them goes when its own time is over.
        remnants = Remnants()
        nextNumber = max(nextNumber, try Self.freeNumber(connection))
        stored.growth = try Self.count(connection) - count
        stored.isAfterOthers = true
        mark.renew()
    }

    /// Skips numbers of deleted sessions whose outcomes may remain.
    private static func freeNumber(_ connection: Connection) throws(SQLiteFailure) -> Int64 {
        (try connection.integer(
            "SELECT max(coalesce((SELECT max(number) FROM sessions), 0), coalesce((SELECT max(session) FROM keys), 0))"
        ) ?? 0) + 1
    }

    private static func count(_ connection: Connection) throws(SQLiteFailure) -> Int {
        Int(try connection.integer("SELECT count(*) FROM sessions") ?? 0)
    }

    /// What is to be done after others' work, a little of it; asked once after each group.
    func takeChores() -> [Work] { (remnants.take() ? [.deleteRemnants] : []) + (space.take() ? [.giveBack] : []) }

    /// Copies the log into the database when it has grown, or has filled the disk; called when nobody waits for the group any
    /// more.
    ///
    /// Once all of it is copied, the next group is written over it, and needs no more room. Where the database itself has to
    /// grow by it, there must be room for that.
    func checkpointIfDue() {
        let pages = connection.pagesInLog
        if pages < settings.checkpointPages { checkpointAt = settings.checkpointPages }
        // The file itself becomes smaller when the log is copied.
        let isDue = pages >= checkpointAt || space.hasShrunk || isDiskFull
        if let checkpointer, !checkpointer.hasCopied() {
            if isDue, holdLog() { checkpointer.begin() }
        } else if isDue {
            letGoOfLog()
            if connection.checkpoint() { isMarkDue = true }
            space.hasShrunk = false
            // Where a reader, such as a backup, holds on to the log, it grows on: the next attempt comes a length later.
            checkpointAt = pages + settings.checkpointPages
        }
    }

    /// Keeps SQLite from resetting the log while the checkpointer runs: all of it may be copied before this thread
    /// knows.
    private func holdLog() -> Bool {
        guard let holder, !holder.isInTransaction else { return true }
        do throws(SQLiteFailure) {
            try holder.execute("BEGIN; SELECT 1 FROM log_mark")
            return true
        } catch {
            letGoOfLog()
            return false
        }
    }

    private func letGoOfLog() {
        if let holder, holder.isInTransaction { try? holder.execute("COMMIT") }
    }

    /// Leaves the file as an unbroken whole, without a log.
    func close() {
        checkpointer?.close()
        letGoOfLog()
        if log.hasMoved { rescueAtTheEnd() }
        connection.finishLog()
    }

    private func take(_ work: Work, _ stored: inout Stored) throws(SQLiteFailure) {
        switch work {
        case .commit(let commit, let incarnation, let done):
            let failure = try take(commit, in: incarnation, &stored)
            stored.answers.append { done(failure) }
        case .delete(let id, let version, let done):
            let failure = try delete(id, at: version, &stored)
            stored.answers.append { done(failure) }
        case .touch(let ends, let done):
            try touch(ends)
            stored.answers.append { done(nil) }
        case .deleteEnded(let now, let limit, let done):
            let ended = try deleteEnded(by: now, limit: limit, &stored)
            stored.answers.append { done(.success(ended)) }
        case .deleteEndedOutcomes(let now, let limit, let done):
            try writeFold()
            let count = try rows.outcomes.deleteEnded(by: now, limit: limit)
            stored.answers.append { done(.success(count)) }
        case .deleteRemnants:
            try writeFold()
            try remnants.deleteSome(from: rows.outcomes)
        case .giveBack:
            try writeFold()
            try connection.execute("PRAGMA incremental_vacuum(\(settings.givenPages))")
        case .noteFilling(let source, let done):
            try writeFold()
            try Filling.note(source, connection)
            stored.answers.append { done(nil) }
        case .probe(let done):
            // Written in any case, though it is what it was: a page in the log.
            try connection.execute("PRAGMA user_version = \(fileVersion)")
            stored.answers.append { done(nil) }
        }
    }

    /// - Returns: why the commit is not to be stored; nil where it stands on where its session stands.
    private func take(
        _ commit: Commit, in incarnation: UInt64, _ stored: inout Stored
    ) throws(SQLiteFailure) -> StoreFailure? {
        var standing = try standing(of: commit.id)
        if commit.base == nil, let end = standing?.end, end <= settings.now() {
            // Its time is over: nobody finds it, and it is in nobody's way.
            try delete(commit.id, &stored)
            standing = nil
        }
        let current = standing?.head.version
        guard current == commit.base else { return current.map { .conflict($0) } ?? .gone }
        // Its number may be one that clients were shown of what is lost: it is made anew, as the first of a chapter.
        if let current, incarnation != mark.current { return .conflict(current) }
        if standing == nil { stored.growth += 1 }
        fold.take(commit, on: standing, orAs: number())
        return nil
    }

    private func standing(of id: SessionID) throws(SQLiteFailure) -> Standing? {
        if let standing = fold.standing(of: id) ?? standings[id] { return standing }
        let standing = try rows.standing(of: id)
        if let standing { standings[id] = standing }
        return standing
    }

    private func number() -> Int64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    private func writeFold() throws(SQLiteFailure) {
        for draft in fold.drafts {
            try rows.write(draft)
            standings[draft.id] = draft.standing
        }
        fold.removeAll()
    }

    private func delete(
        _ id: SessionID, at version: CommitVersion, _ stored: inout Stored
    ) throws(SQLiteFailure) -> StoreFailure? {
        guard let current = try standing(of: id)?.head.version else { return nil }
        guard current == version else { return .conflict(current) }
        try delete(id, &stored)
        return nil
    }

    private func delete(_ id: SessionID, _ stored: inout Stored) throws(SQLiteFailure) {
        try writeFold()
        guard let standing = try standing(of: id) else { return }
        try rows.delete(standing.number)
        remnants.add(standing.number)
        standings[id] = nil
        stored.growth -= 1
    }

    private func touch(_ ends: [(id: SessionID, end: TimeOfDay)]) throws(SQLiteFailure) {
        try writeFold()
        for (id, end) in ends {
            try rows.touch(id, until: end)
            if let known = standings[id]?.end { standings[id]?.end = max(known, end) }
        }
    }

    private func deleteEnded(
        by now: TimeOfDay, limit: Int, _ stored: inout Stored
    ) throws(SQLiteFailure) -> [SessionID] {
        try writeFold()
        let ended = try rows.ended(by: now, limit: limit)
        for (number, id) in ended {
            try rows.delete(number)
            remnants.add(number)
            standings[id] = nil
        }
        stored.growth -= ended.count
        return ended.map(\.id)
    }

    /// Says whether the next transaction is flushed to the disk, which can be changed between transactions only.
    private func flush(_ isFlushing: Bool) throws(SQLiteFailure) {
        guard isFlushing != self.isFlushing else { return }
        try connection.execute("PRAGMA synchronous = \(isFlushing ? "FULL" : "NORMAL")")
        self.isFlushing = isFlushing
    }
}
