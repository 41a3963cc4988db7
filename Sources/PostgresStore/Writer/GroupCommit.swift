import Sessions

/// Stores groups of commits, each group by one statement; on the writer's thread.
final class GroupCommit {
    private let connection: Connection
    private let database: Database
    /// Is told what was stored, before those who submitted it.
    private let stored: (SessionID, CommitVersion?) -> Void
    /// Commits of sessions that others were writing at the time, to be tried again.
    private var late: [PendingCommit] = []
    /// The same of deletions.
    private var lateDeletions: [PendingDeletion] = []

    init(_ connection: Connection, _ database: Database, stored: @escaping (SessionID, CommitVersion?) -> Void) {
        (self.connection, self.database, self.stored) = (connection, database, stored)
    }

    /// Stores commits, and tells each what became of it; none that has to be tried again (``hasLate``).
    ///
    /// - Returns: how many were answered.
    /// - Throws: ``PostgresFailure``; all that were not answered have been told.
    func store(_ commits: [PendingCommit]) throws(PostgresFailure) -> Int {
        var rest = late + commits
        late = []
        var answered = 0
        var isLookedForEnded = false
        while !rest.isEmpty {
            let chains = Chain.all(of: rest)
            let fates: [SessionID: Fate]
            do throws(PostgresFailure) {
                fates = try fatesOf(chains)
            } catch {
                if error.isOfData, chains.count > 1 {
                    return try answered + storeHalves(rest, Set(chains[..<(chains.count / 2)].map(\.id)))
                }
                // Rows are passed over: what it waited for is a lock on a table, in the way of all.
                guard error.isLocked, !error.isGivenUp else {
                    for pending in rest { pending.done(error.ofWriting) }
                    // What one commit holds is not the database's trouble.
                    if error.isOfData { return answered + rest.count }
                    throw error
                }
                fates = Dictionary(uniqueKeysWithValues: chains.map { ($0.id, .held) })
            }
            rest = []
            var overdue: [Chain] = []
            for chain in chains {
                switch fates[chain.id] {
                case .stored?:
                    if chain.base == nil { database.sessionsBegun.add(1, ordering: .relaxed) }
                    stored(chain.id, chain.head.version)
                    for pending in chain.linked { pending.done(nil) }
                    for (pending, version) in chain.others { pending.done(.conflict(version)) }
                    answered += chain.taken.count
                case .standsAt(let version)? where chain.base != nil || isLookedForEnded:
                    answered += fail(chain, .conflict(version), &rest)
                case .standsAt?: overdue.append(chain)
                case .unreadable(let failure)?: answered += fail(chain, failure.ofReading, &rest)
                case nil where chain.base != nil: answered += fail(chain, .gone, &rest)
                // Created by somebody at this moment: the next look sees it.
                case .held?, nil: answered += putOff(chain)
                }
            }
            if !overdue.isEmpty {
                try deleteEnded(overdue, rest)
                isLookedForEnded = true
                rest += overdue.flatMap(\.taken)
            }
        }
        return answered
    }

    /// Stores the commits of some sessions, and then the others: one of them has what the database does not take.
    private func storeHalves(_ commits: [PendingCommit], _ half: Set<SessionID>) throws(PostgresFailure) -> Int {
        let others = commits.filter { !half.contains($0.commit.id) }
        let answered: Int
        do throws(PostgresFailure) {
            answered = try store(commits.filter { half.contains($0.commit.id) })
        } catch {
            for pending in others { pending.done(.notSent) }
            throw error
        }
        return try answered + store(others)
    }

    /// What became of a chain; nil where there is no such session.
    private enum Fate {
        case stored
        /// Somewhere else than at the chain's base.
        case standsAt(CommitVersion)
        /// Somebody else is writing the session.
        case held
        /// Not where it should, and what is stored of it cannot be read.
        case unreadable(PostgresFailure)
    }

    private func fatesOf(_ chains: [Chain]) throws(PostgresFailure) -> [SessionID: Fate] {
        let settings = database.settings
        let parameters = chains.parameters(at: database.now) + [.integer(connection.standing?.tables)]
        let answer = try connection.run(database.statements.commit, parameters, within: settings.commitTimeout)
        if answer.count > 0 { try connection.checkProcess(answer.integer(0, 4)) }
        if answer.count > 0, answer.isNull(answer.count - 1, 0) {
            let words = "the tables are others than those that were opened, as where a dump was put back"
            throw PostgresFailure(.notConnected, message: "\(words): they are opened anew")
        }
        var fates: [SessionID: Fate] = [:]
        // Stored by now: what cannot be read of one session is that one's trouble.
        for row in 0..<answer.count {
            let fate: Fate
            do throws(PostgresFailure) {
                fate =
                    answer.bool(row, 2) ? .stored : answer.bool(row, 3) ? .held : .standsAt(try answer.version(row, 1))
            } catch {
                fate = .unreadable(error)
            }
            fates[answer.sessionID(row, 0)] = fate
        }
        return fates
    }

    /// What stood on a base that the session does not stand at fails; what did not is tried after it.
    private func fail(_ chain: Chain, _ failure: StoreFailure, _ rest: inout [PendingCommit]) -> Int {
        if case .conflict = failure { database.counts.noteConflict() }
        for pending in chain.linked { pending.done(failure) }
        rest += chain.others.map(\.commit)
        return chain.linked.count
    }

    private func putOff(_ chain: Chain) -> Int {
        database.counts.noteHeld()
        let isOver = chain.taken[0].begin + database.settings.lockTimeout < .now
        guard isOver else {
            late += chain.taken
            return 0
        }
        for pending in chain.taken { pending.done(.notSent) }
        return chain.taken.count
    }

    /// A session whose time is over is found by nobody, and is in the way of no creation.
    private func deleteEnded(_ chains: [Chain], _ rest: [PendingCommit]) throws(PostgresFailure) {
        let settings = database.settings
        do throws(PostgresFailure) {
            _ = try connection.run(
                database.statements.deleteIfEnded,
                [.bytes(chains.map(\.id.bytea)), .integer(database.now.secondsSince1970)],
                within: settings.commitTimeout)
        } catch {
            for pending in rest + chains.flatMap(\.taken) { pending.done(error.ofWriting) }
            throw error
        }
    }

    /// Whether something is to be tried again.
    var hasLate: Bool { !late.isEmpty || !lateDeletions.isEmpty }

    /// Has a deletion tried again, of a session that others were writing at the time.
    func putOff(_ deletion: PendingDeletion) {
        database.counts.noteHeld()
        lateDeletions.append(deletion)
    }

    /// The deletions that are to be tried again, to be taken over.
    func takeLateDeletions() -> [Work] {
        defer { lateDeletions = [] }
        return lateDeletions.map(Work.delete)
    }

    /// Tells those that were put off that nothing was stored.
    func giveUp() {
        for pending in late { pending.done(.notSent) }
        for deletion in lateDeletions { deletion.done(.notSent) }
        (late, lateDeletions) = ([], [])
    }
}
