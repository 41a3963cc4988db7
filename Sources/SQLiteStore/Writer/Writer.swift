import Events
import Locking
import Sessions

/// The one writer of a store: a thread of its own, with its connection and its transactions.
final class Writer: Sendable {
    /// What others may know of it.
    let state = WriterState()
    private let line = Line<Work>()
    private let hasEnded = Latch()

    /// Opens the file, and returns when it can be written.
    init(_ path: String, _ settings: Settings) throws(SQLiteStoreError) {
        try Worker.start(named: "sqlite-writer") { [state, line, hasEnded] beginning in
            Self.run(path, settings, state, line, beginning)
            hasEnded.open()
        }
    }

    // Whoever drops a store without closing it leaves no thread and no lock behind.
    deinit { line.close() }

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
        _ path: String, _ settings: Settings, _ state: WriterState, _ line: Line<Work>, _ beginning: Worker.Beginning
    ) {
        do throws(SQLiteStoreError) {
            let lock = try FileLock(of: path)
            // Held until the connection is closed.
            try run(DatabaseFile(path: path, settings: settings), under: lock, state, line, beginning)
        } catch {
            beginning.report(.failure(error))
        }
    }

    private static func run(
        _ file: DatabaseFile, under lock: borrowing FileLock, _ state: WriterState, _ line: Line<Work>,
        _ beginning: Worker.Beginning
    ) throws(SQLiteStoreError) {
        let start = ContinuousClock.now
        let groups = try file.open()
        state.noteSuccess(count: groups.count)
        file.tellOpened(sessions: groups.count, after: ContinuousClock.now - start)
        var health = StoreHealth(file.path, "write", log: file.settings.log)
        beginning.report(.success(()))
        var isLocked = true
        var isAlone = true
        while let group = line.take(upTo: file.settings.groupLimit) {
            do throws(SQLiteFailure) {
                // For good: whoever had the file meanwhile may have written what nobody here knows.
                isLocked = isLocked && lock.isEffective
                guard isLocked else { throw SQLiteFailure.unlocked }
                let begin = ContinuousClock.now
                let outcome = try groups.store(group)
                state.noteSuccess(count: groups.count, of: group, after: ContinuousClock.now - begin)
                for answer in outcome.answers { answer() }
                health.noteSuccess()
                if isAlone, outcome.isAfterOthers { file.tellOfOthers() }
                isAlone = isAlone && !outcome.isAfterOthers
                for work in groups.takeChores() { _ = line.append(work) }
                groups.checkpointIfDue()
            } catch {
                state.noteFailure(error)
                for work in group { work.fail(error.storeFailure) }
                health.noteFailure(error.message)
                groups.checkpointIfDue()
            }
        }
        state.noteEnd()
        groups.close()
    }
}

/// What others may know of the writer.
final class WriterState: Sendable {
    private struct State {
        var count = 0
        var isWorking = true
        var latestSuccess: ContinuousClock.Instant?
        /// Of groups with commits.
        var groupTimes = Histogram()
        var commits = 0
        var failures: [String: Int] = [:]
    }

    private let state = Lock(State())

    /// How many sessions there are.
    var count: Int { state.withLock { $0.count } }

    /// Whether the latest group was stored, and that a moment ago.
    var hasJustWorked: Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.isWorking && state.latestSuccess.map { now - $0 < .seconds(1) } ?? false
        }
    }

    /// Notes that a group was stored, or that the file was opened.
    func noteSuccess(count: Int, of group: [Work] = [], after time: Duration = .zero) {
        let now = ContinuousClock.now
        let commits = group.count { if case .commit = $0 { true } else { false } }
        state.withLock { state in
            state.count = count
            state.latestSuccess = now
            state.isWorking = true
            guard commits > 0 else { return }
            state.commits += commits
            state.groupTimes.add(microseconds: Int(time / .microseconds(1)))
        }
    }

    /// Notes that a group could not be stored.
    func noteFailure(_ failure: SQLiteFailure) {
        state.withLock { state in
            state.isWorking = false
            state.failures[failure.reason, default: 0] += 1
        }
    }

    /// Notes that nothing more is stored.
    func noteEnd() { state.withLock { $0.isWorking = false } }

    var measures: [Measure] {
        let state = state.withLock { $0 }
        return [
            Measure(.gauge, "bindery_store_up", "1 where the latest group was stored.", state.isWorking ? 1 : 0),
            Measure(
                .counter, "bindery_store_commits_total",
                "Commits that were stored or met another; divided by the number of groups it is the group's size.",
                state.commits),
            Measure(
                .histogram, "bindery_store_group_duration_seconds", "How long a group of commits took to be stored.",
                state.groupTimes.samples()),
            Measure(
                .counter, "bindery_store_failures_total", "Groups that could not be stored, by reason.",
                // Each from the beginning, so that the first is seen to grow.
                SQLiteFailure.reasons.map {
                    Measure.Sample([Measure.Label("reason", $0)], Double(state.failures[$0, default: 0]))
                }),
        ]
    }
}

/// One thing to be done by the writer, and whom to tell.
enum Work: Sendable {
    case commit(Commit, @Sendable (StoreFailure?) -> Void)
    case delete(SessionID, at: CommitVersion, @Sendable (StoreFailure?) -> Void)
    case touch([(id: SessionID, end: TimeOfDay)], @Sendable (StoreFailure?) -> Void)
    case deleteEnded(TimeOfDay, limit: Int, @Sendable (Result<[SessionID], StoreFailure>) -> Void)
    case deleteEndedOutcomes(TimeOfDay, limit: Int, @Sendable (Result<Int, StoreFailure>) -> Void)
    /// Deletes a few outcomes of sessions that are gone.
    case deleteRemnants
    /// Makes the file a little smaller, where pages of it are free.
    case giveBack
    /// Finds out whether anything can be written.
    case probe(@Sendable (StoreFailure?) -> Void)

    /// Whether it is to be on the disk when it is acknowledged.
    ///
    /// Where the end of a session is put off, or what is over is deleted, a loss of power may undo it: the one ends early, the
    /// other is deleted again.
    var isToLast: Bool {
        switch self {
        case .commit, .delete, .probe: true
        case .touch, .deleteEnded, .deleteEndedOutcomes, .deleteRemnants, .giveBack: false
        }
    }

    /// Whether pages of the file may be free afterwards.
    var freesSpace: Bool {
        switch self {
        case .delete, .deleteEnded, .deleteEndedOutcomes, .deleteRemnants, .giveBack: true
        case .commit, .touch, .probe: false
        }
    }

    /// Says why nothing was done, or that nobody knows.
    func fail(_ failure: StoreFailure) {
        switch self {
        case .commit(_, let done), .delete(_, _, let done), .touch(_, let done), .probe(let done): done(failure)
        case .deleteEnded(_, _, let done): done(.failure(failure))
        case .deleteEndedOutcomes(_, _, let done): done(.failure(failure))
        case .deleteRemnants, .giveBack: break
        }
    }
}
