import Sessions

/// One thing to be done by the writer, and whom to tell.
enum Work: Sendable {
    case commit(PendingCommit)
    case delete(PendingDeletion)
    /// Finds out whether anything can be written.
    case probe(@Sendable (StoreFailure?) -> Void)

    /// How much it stores: models, outputs and an answer.
    var bytes: Int {
        guard case .commit(let pending) = self else { return 0 }
        let commit = pending.commit
        return commit.viewModels.reduce(commit.outcome?.body.count ?? 0) { sum, viewModel in
            sum + viewModel.model.count + viewModel.outputs.reduce(0) { $0 + $1.value.count }
        }
    }

    /// Says why nothing was done, or that nobody knows.
    func fail(_ failure: StoreFailure) {
        switch self {
        case .commit(let pending): pending.done(failure)
        case .delete(let pending): pending.done(failure)
        case .probe(let done): done(failure)
        }
    }
}

/// A session that is to be forgotten where it stands at a version, and whom to tell.
struct PendingDeletion: Sendable {
    let id: SessionID
    let version: CommitVersion
    let done: @Sendable (StoreFailure?) -> Void
    /// When it was asked for.
    let begin = ContinuousClock.now
}

/// What the writer's thread does with the work it has taken: commits as groups, and what is none between them in its turn.
struct WriterTurn {
    private let groups: GroupCommit
    private let connection: Connection
    private let database: Database
    private let stored: (SessionID, CommitVersion?) -> Void

    init(
        _ groups: GroupCommit, _ connection: Connection, _ database: Database,
        _ stored: @escaping (SessionID, CommitVersion?) -> Void
    ) {
        (self.groups, self.connection, self.database, self.stored) = (groups, connection, database, stored)
    }

    /// - Returns: how many commits were answered.
    /// - Throws: ``PostgresFailure``; all have been told.
    func write(_ taken: [Work]) throws(PostgresFailure) -> Int {
        var commits: [PendingCommit] = []
        var answered = 0
        var rest = taken[...]
        do throws(PostgresFailure) {
            while let work = rest.first {
                if case .commit(let pending) = work {
                    rest = rest.dropFirst()
                    // What was made in another server's time is not to be stored in this one's.
                    if pending.incarnation == connection.standing?.incarnation {
                        commits.append(pending)
                    } else {
                        pending.done(.notSent)
                    }
                    continue
                }
                if !commits.isEmpty { answered += try store(&commits) }
                // From here on it tells by itself.
                rest = rest.dropFirst()
                switch work {
                case .commit: break
                case .delete(let deletion): try delete(deletion)
                case .probe(let done): try probe(done)
                }
            }
        } catch {
            for work in rest { work.fail(.notSent) }
            throw error
        }
        return try answered + store(&commits)
    }

    private func store(_ commits: inout [PendingCommit]) throws(PostgresFailure) -> Int {
        let group = commits
        commits = []
        return try groups.store(group)
    }

    private func delete(_ deletion: PendingDeletion) throws(PostgresFailure) {
        let answer: Answer
        do throws(PostgresFailure) {
            answer = try connection.run(
                database.statements.delete, [.bytes(deletion.id.bytea), .bytes(deletion.version.encoded)],
                within: database.settings.commitTimeout)
        } catch {
            deletion.done(error.ofWriting)
            throw error
        }
        if answer.count > 0, answer.bool(0, 2) { return putOff(deletion) }
        if answer.count > 0, !answer.bool(0, 0) {
            // What cannot be read of one session is that one's trouble.
            do throws(PostgresFailure) {
                return deletion.done(.conflict(try answer.version(0, 1)))
            } catch {
                return deletion.done(error.ofReading)
            }
        }
        if answer.count > 0 { database.sessionsBegun.subtract(1, ordering: .relaxed) }
        stored(deletion.id, nil)
        deletion.done(nil)
    }

    private func putOff(_ deletion: PendingDeletion) {
        if deletion.begin + database.settings.lockTimeout < .now { return deletion.done(.notSent) }
        groups.putOff(deletion)
    }

    private func probe(_ done: (StoreFailure?) -> Void) throws(PostgresFailure) {
        do throws(PostgresFailure) {
            let isRefusing = database.isRefusing.load(ordering: .relaxed)
            _ = try connection.run(
                isRefusing ? database.statements.trial : database.statements.probe, [],
                within: database.settings.commitTimeout)
            if isRefusing { database.isRefusing.store(false, ordering: .relaxed) }
            done(nil)
        } catch {
            done(error.ofWriting)
            throw error
        }
    }
}
