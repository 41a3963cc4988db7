internal import Events
import Locking
import Sessions
import StoreParts

/// The one writer of a store: a thread of its own, with its connection and its transactions.
final class Writer: Sendable {
    /// What others may know of it.
    let state: WriterState
    /// What the file holds, as far as is known.
    private let mark = Incarnation()
    private let line = Line<Work>()
    private let hasEnded = Latch()

    /// Opens the file, and returns when it can be written.
    init(_ path: String, _ settings: Settings, _ watchdog: StoreWatchdog) throws(SQLiteStoreError) {
        state = WriterState(reasons: SQLiteFailure.reasons, watchdog)
        try Worker<SQLiteStoreError>.start(named: "sqlite-writer") { [state, mark, line, hasEnded] beginning in
            Self.run(path, settings, mark, state, line, beginning)
            hasEnded.open()
        }
    }

    // Whoever drops a store without closing it leaves no thread and no lock behind.
    deinit { line.close() }

    /// The mark of what the file holds.
    var incarnation: UInt64 { mark.current }

    /// Takes work into the line; after the end it fails.
    func submit(_ work: Work) {
        if !line.append(work) { work.fail(.notSent) }
    }

    /// Finishes what was submitted, and closes the file.
    func close() async {
        line.close()
        await hasEnded.wait()
    }

    private static func run(
        _ path: String, _ settings: Settings, _ mark: Incarnation, _ state: WriterState, _ line: Line<Work>,
        _ beginning: Worker<SQLiteStoreError>.Beginning
    ) {
        do throws(SQLiteStoreError) {
            let lock = try FileLock(of: path)
            // Held until the connection is closed.
            try run(DatabaseFile(path: path, settings: settings, mark: mark), under: lock, state, line, beginning)
        } catch {
            beginning.report(.failure(error))
        }
    }

    private static func run(
        _ file: DatabaseFile, under lock: borrowing FileLock, _ state: WriterState, _ line: Line<Work>,
        _ beginning: Worker<SQLiteStoreError>.Beginning
    ) throws(SQLiteStoreError) {
        let start = ContinuousClock.now
        let groups = try file.open()
        state.noteSuccess(count: groups.count)
        file.tellOpened(sessions: groups.count, after: ContinuousClock.now - start)
        let health = state.watchdog.health(of: "write")
        beginning.report(.success(()))
        var isLocked = true
        var isAlone = true
        while let group = line.take(upTo: file.settings.groupLimit) {
            health.begin()
            do throws(SQLiteFailure) {
                // For good: whoever had the file meanwhile may have written what nobody here knows.
                isLocked = isLocked && lock.isEffective
                guard isLocked else { throw SQLiteFailure.unlocked }
                let begin = ContinuousClock.now
                let stored = try groups.store(group)
                state.noteSuccess(
                    count: groups.count, commits: group.count { if case .commit = $0 { true } else { false } },
                    after: ContinuousClock.now - begin)
                for answer in stored.answers { answer() }
                if isAlone, stored.isAfterOthers { file.tellOfOthers() }
                isAlone = isAlone && !stored.isAfterOthers
                for work in groups.takeChores() { _ = line.append(work) }
                // Part of what the next group waits for: it may hang, too.
                groups.checkpointIfDue()
                health.noteSuccess()
            } catch {
                state.noteFailure(error.reason)
                for work in group { work.fail(error.storeFailure) }
                groups.checkpointIfDue()
                health.noteFailure(error.message)
            }
        }
        state.noteEnd()
        groups.close()
    }
}

/// One thing to be done by the writer, and whom to tell.
enum Work: Sendable {
    /// With the incarnation in which it was submitted.
    case commit(Commit, in: UInt64, @Sendable (StoreFailure?) -> Void)
    case delete(SessionID, at: CommitVersion, @Sendable (StoreFailure?) -> Void)
    case touch([(id: SessionID, end: TimeOfDay)], @Sendable (StoreFailure?) -> Void)
    case deleteEnded(TimeOfDay, limit: Int, @Sendable (Result<[SessionID], StoreFailure>) -> Void)
    case deleteEndedOutcomes(TimeOfDay, limit: Int, @Sendable (Result<Int, StoreFailure>) -> Void)
    /// Deletes a few outcomes of sessions that are gone.
    case deleteRemnants
    /// Makes the file a little smaller, where pages of it are free.
    case giveBack
    /// Notes whether the file is being filled.
    case noteFilling(from: String?, @Sendable (StoreFailure?) -> Void)
    /// Finds out whether anything can be written.
    case probe(@Sendable (StoreFailure?) -> Void)

    /// Whether it is to be on the disk when it is acknowledged.
    ///
    /// Where the end of a session is put off, or what is over is deleted, a loss of power may undo it: the one ends early, the
    /// other is deleted again.
    var isToLast: Bool {
        switch self {
        case .commit, .delete, .noteFilling, .probe: true
        case .touch, .deleteEnded, .deleteEndedOutcomes, .deleteRemnants, .giveBack: false
        }
    }

    /// Whether pages of the file may be free afterwards.
    var freesSpace: Bool {
        switch self {
        case .delete, .deleteEnded, .deleteEndedOutcomes, .deleteRemnants, .giveBack: true
        case .commit, .touch, .noteFilling, .probe: false
        }
    }

    /// Says why nothing was done, or that nobody knows.
    func fail(_ failure: StoreFailure) {
        switch self {
        case .commit(_, _, let done), .delete(_, _, let done), .touch(_, let done), .noteFilling(_, let done),
            .probe(let done):
            done(failure)
        case .deleteEnded(_, _, let done): done(.failure(failure))
        case .deleteEndedOutcomes(_, _, let done): done(.failure(failure))
        case .deleteRemnants, .giveBack: break
        }
    }
}
