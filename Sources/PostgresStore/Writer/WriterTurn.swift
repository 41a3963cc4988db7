import Sessions

/// One thing to be done by the writer, and whom to tell.
enum Work: Sendable {
    case commit(PendingCommit)
    case delete(SessionID, at: CommitVersion, @Sendable (StoreFailure?) -> Void)
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
        case .delete(_, _, let done), .probe(let done): done(failure)
        }
    }
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
                answered += try store(&commits)
                // From here on it tells by itself.
                rest = rest.dropFirst()
                switch work {
                case .commit: break
                case .delete(let id, let version, let done): try delete(id, at: version, done)
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

    private func delete(
        _ id: SessionID, at version: CommitVersion, _ done: (StoreFailure?) -> Void
    ) throws(PostgresFailure) {
        do throws(PostgresFailure) {
            let answer = try connection.run(
                database.statements.delete, [.bytes(id.bytea), .bytes(version.encoded)],
                within: database.settings.commitTimeout)
            if answer.bool(0, 0) { database.sessionsBegun.subtract(1, ordering: .relaxed) }
            let current = answer.isNull(0, 1) ? nil : try answer.version(0, 1)
            if current == nil { stored(id, nil) }
            done(current.map { .conflict($0) })
        } catch {
            done(error.ofWriting)
            throw error
        }
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
