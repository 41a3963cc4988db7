import Events
import Locking
import Sessions
import StoreParts
import Synchronization

/// The writer of a store: a thread with a connection.
///
/// While a group is written, all that is submitted waits, and is then a group itself. While the database is away, or a
/// synchronous standby keeps a commit waiting, whatever is submitted fails at once with ``StoreFailure/notSent``.
final class Writer: Sendable {
    private let desk: Desk

    /// Connects, and returns when it can write.
    ///
    /// - Parameters:
    ///   - state: what others may know of it.
    ///   - stored: is told of each session that was moved on, nil where it has ended; from the writer's thread.
    ///   - ask: has something read over another connection, while the writer's waits.
    /// - Throws: ``PostgresStoreError``.
    init(
        _ database: Database, _ state: WriterState, stored: @escaping @Sendable (SessionID, CommitVersion?) -> Void,
        ask: @escaping @Sendable (Readers.Request) -> Void
    ) throws(PostgresStoreError) {
        desk = Desk(state.watchdog.health(of: "write"), database.settings.groupBytes)
        try Worker<PostgresStoreError>.start(named: "postgres-writer") { [desk] beginning in
            do throws(PostgresFailure) {
                let connection = try database.connect()
                try database.hold(connection)
                beginning.report(.success(()))
                WriterLoop(database, consume connection, desk, state, stored, ask).run()
            } catch {
                beginning.report(.failure(PostgresStoreError(database.target, error)))
            }
            desk.hasEnded.open()
        }
    }

    // Whoever drops a store without closing it leaves no thread and no connection behind.
    deinit { desk.line.close() }

    /// Takes work into the line; fails where it cannot be sent now, or after the end.
    func submit(_ work: Work) {
        if !isUp || !desk.line.append(work) { work.fail(.notSent) }
    }

    /// Whether it has been at one group for so long, or has no connection.
    func isStuck(for time: Duration) -> Bool {
        guard isUp else { return true }
        return desk.health.busyTime().map { $0 > time } ?? false
    }

    /// Whether it has a connection, and the server answers.
    var isUp: Bool { desk.isUp.load(ordering: .relaxed) }

    /// Finishes what was submitted, and disconnects.
    func close() async {
        desk.line.close()
        await desk.hasEnded.wait()
    }
}

/// What those who submit and the thread that writes have in common.
private final class Desk: Sendable {
    let line: Line<Work>
    let hasEnded = Latch()
    /// Whether there is a connection, and the server answers.
    let isUp = Atomic(true)
    let health: StoreHealth

    init(_ health: StoreHealth, _ groupBytes: Int) {
        self.health = health
        line = Line(most: groupBytes, weighing: \.bytes)
    }
}

/// What the writer's thread does.
private final class WriterLoop {
    private let database: Database
    private let desk: Desk
    private let state: WriterState
    private let stored: (SessionID, CommitVersion?) -> Void
    private let ask: (Readers.Request) -> Void
    private var connection: Connection
    private var groups: GroupCommit
    /// After a connection was lost.
    private var isConnected = true {
        didSet { if oldValue, !isConnected { database.counts.noteLoss() } }
    }

    init(
        _ database: Database, _ connection: Connection, _ desk: Desk, _ state: WriterState,
        _ stored: @escaping (SessionID, CommitVersion?) -> Void, _ ask: @escaping (Readers.Request) -> Void
    ) {
        (self.database, self.connection, self.desk, self.state) = (database, connection, desk, state)
        (self.stored, self.ask) = (stored, ask)
        groups = GroupCommit(connection, database, stored: stored)
        state.noteSuccess()
    }

    func run() {
        while true {
            if !isConnected { reconnect() }
            guard
                let taken = desk.line.take(
                    upTo: database.settings.groupLimit, sleeps: isConnected && !groups.hasLate)
            else { break }
            // Another connection may have found the server changed.
            if isConnected, !connection.isAlive || !database.isCurrent(connection) { reconnect() }
            guard isConnected else {
                fail(taken)
                Pause.wait(database.settings.patience)
                continue
            }
            if taken.isEmpty { Pause.wait(.milliseconds(Int.random(in: 1...3))) }
            write(taken)
        }
        groups.giveUp()
        state.noteEnd()
    }

    private func write(_ taken: [Work]) {
        let begin = ContinuousClock.now
        desk.health.begin(at: begin)
        do throws(PostgresFailure) {
            let count = try WriterTurn(groups, connection, database, stored).write(groups.takeLateDeletions() + taken)
            // A look at what is held is no success that is measured.
            if count > 0 || !taken.isEmpty { state.noteSuccess(commits: count, after: .now - begin) }
            desk.health.noteSuccess()
        } catch {
            // Those that were under way have been told.
            groups.giveUp()
            note(error)
            if error.kind == .timedOut { waitOutStall(since: begin) }
            if error.isGivenUp { tryUntilStored() }
            if error.endsConnection { isConnected = false }
        }
        if !isConnected { desk.isUp.store(false, ordering: .relaxed) }
    }

    /// Waits for the answer that did not come in time, and has whatever is submitted meanwhile fail: more commits would only
    /// wait behind it, each with a connection.
    ///
    /// Where other connections have found another server meanwhile, this one's is not waited for.
    private func waitOutStall(since begin: ContinuousClock.Instant) {
        desk.isUp.store(false, ordering: .relaxed)
        desk.health.begin(at: begin)
        askForCause()
        do throws(PostgresFailure) {
            while try !connection.waitForAnswer(upTo: .milliseconds(50)) {
                guard let taken = desk.line.take(upTo: .max, sleeps: false) else { return }
                fail(taken)
                guard database.isCurrent(connection) else { return isConnected = false }
            }
            desk.isUp.store(true, ordering: .relaxed)
            desk.health.noteSuccess()
            state.noteSuccess()
        } catch {
            isConnected = false
        }
    }

    /// Finds out over another connection whether it is the synchronous standby that is waited for, which the server does not say.
    private func askForCause() {
        ask(
            .other { [desk, state] (reader) throws(PostgresFailure) in
                // It may be over by now, and what works is not to be called a failure.
                guard try reader.run(\.standbyWaits, []).integer(0, 0) > 0,
                    !desk.isUp.load(ordering: .relaxed)
                else { return }
                state.noteFailure("standby")
                desk.health.noteCause("commits wait for the synchronous standby (SyncRep in pg_stat_activity)")
            } failed: { _ in
                // Then it is the server.
            })
    }

    /// Tries whether anything can be stored, after the server took too long for a group, and has whatever is submitted
    /// meanwhile fail: each group would only take as long again.
    private func tryUntilStored() {
        desk.isUp.store(false, ordering: .relaxed)
        while let taken = desk.line.take(upTo: .max, sleeps: false) {
            fail(taken)
            do throws(PostgresFailure) {
                _ = try connection.run(database.statements.trial, [], within: database.settings.commitTimeout)
                database.isRefusing.store(false, ordering: .relaxed)
                desk.isUp.store(true, ordering: .relaxed)
                desk.health.noteSuccess()
                return state.noteSuccess()
            } catch {
                note(error)
                if error.kind == .timedOut { return waitOutStall(since: .now) }
                if error.endsConnection { return isConnected = false }
            }
            Pause.wait(database.settings.patience)
        }
    }

    private func reconnect() {
        isConnected = false
        groups.giveUp()
        do throws(PostgresFailure) {
            // What others did meanwhile is not known.
            if database.settings.isAlone { throw PostgresFailure(.notConnected, message: "the tables were let go of") }
            connection = try database.connect()
            try database.hold(connection)
            groups = GroupCommit(connection, database, stored: stored)
            isConnected = true
            desk.isUp.store(true, ordering: .relaxed)
            desk.health.noteSuccess()
            state.noteSuccess()
        } catch {
            note(error)
            desk.isUp.store(false, ordering: .relaxed)
        }
    }

    private func note(_ failure: PostgresFailure) {
        if failure.kind == .refused { database.isRefusing.store(true, ordering: .relaxed) }
        state.noteFailure(failure.reason)
        desk.health.noteFailure(failure.explanation)
    }

    private func fail(_ taken: [Work]) { for work in taken { work.fail(.notSent) } }
}
