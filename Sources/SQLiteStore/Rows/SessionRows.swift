import Sessions
import StoreParts

/// The rows of sessions, as the writer reads and writes them; on the writer's thread, inside its transactions.
final class SessionRows {
    let outcomes: OutcomeRows
    private let find: Statement
    private let insert: Statement
    private let advance: Statement
    private let update: Statement
    private let touch: Statement
    private let putViewModel: Statement
    private let findEnded: Statement
    private let deletions: [Statement]
    private let now: @Sendable () -> TimeOfDay

    init(_ connection: Connection, now: @escaping @Sendable () -> TimeOfDay) throws(SQLiteFailure) {
        self.now = now
        outcomes = try OutcomeRows(connection)
        find = try connection.prepare(
            """
            SELECT number, ends, \(SessionHead.columns) FROM sessions WHERE id = ?1
            """)
        insert = try connection.prepare(
            """
            INSERT INTO sessions (number, language, id, ends, beginnings, epoch, history, seq, version, begun)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        advance = try connection.prepare(
            "UPDATE sessions SET seq = ?2, version = ?3, language = ?4 WHERE number = ?1")
        update = try connection.prepare(
            """
            UPDATE sessions SET ends = ?2, beginnings = coalesce(?3, beginnings), epoch = ?4, history = ?5, seq = ?6,
                version = ?7, language = ?8 WHERE number = ?1
            """)
        touch = try connection.prepare("UPDATE sessions SET ends = ?2 WHERE id = ?1 AND ends < ?2")
        putViewModel = try connection.prepare(
            """
            INSERT INTO view_models (session, name, model, outputs, version) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT DO UPDATE
            SET model = excluded.model, outputs = excluded.outputs, version = excluded.version
            """)
        findEnded = try connection.prepare("SELECT number, id FROM sessions WHERE ends <= ?1 ORDER BY ends LIMIT ?2")
        deletions = [
            try connection.prepare("DELETE FROM view_models WHERE session = ?1"),
            try connection.prepare("DELETE FROM sessions WHERE number = ?1"),
        ]
    }

    /// How a session stands, or nil where there is none of that name.
    func standing(of id: SessionID) throws(SQLiteFailure) -> Standing? {
        try find.bind(id, 1)
        defer { find.reset() }
        guard try find.step() else { return nil }
        return Standing(
            number: find.integer(0), head: try find.head(from: 2),
            end: find.optionalInteger(1).map(TimeOfDay.init(secondsSince1970:)))
    }

    /// Writes what a group makes of one session.
    func write(_ draft: SessionDraft) throws(SQLiteFailure) {
        try writeSession(draft)
        for viewModel in draft.viewModels {
            try putViewModel.bind(draft.standing.number, 1)
            try putViewModel.bind(viewModel.name, 2)
            try putViewModel.bind(viewModel.model, 3)
            try putViewModel.bind(OutputRecord.encode(viewModel.outputs), 4)
            try putViewModel.bind(Int64(viewModel.version), 5)
            try putViewModel.run()
        }
        for outcome in draft.outcomes { try outcomes.write(outcome, of: draft.standing.number) }
    }

    /// Puts off the end of a session.
    func touch(_ id: SessionID, until end: TimeOfDay) throws(SQLiteFailure) {
        try touch.bind(id, 1)
        try touch.bind(end.secondsSince1970, 2)
        try touch.run()
    }

    /// Deletes a session, without its outcomes: there may be too many of them for one transaction.
    func delete(_ number: Int64) throws(SQLiteFailure) {
        for deletion in deletions {
            try deletion.bind(number, 1)
            try deletion.run()
        }
    }

    /// The sessions whose end has come, the earliest first.
    func ended(by now: TimeOfDay, limit: Int) throws(SQLiteFailure) -> [(number: Int64, id: SessionID)] {
        try findEnded.bind(now.secondsSince1970, 1)
        try findEnded.bind(Int64(limit), 2)
        defer { findEnded.reset() }
        var ended: [(Int64, SessionID)] = []
        while try findEnded.step() { ended.append((findEnded.integer(0), findEnded.sessionID(1))) }
        return ended
    }

    private func writeSession(_ draft: SessionDraft) throws(SQLiteFailure) {
        let (before, standing) = (draft.before, draft.standing)
        guard let before else {
            try insert.bind(standing.number, 1)
            try insert.bind(draft.language.rawValue, 2)
            try insert.bind(draft.id, 3)
            try insert.bind(standing.end?.secondsSince1970, 4)
            try insert.bind(draft.initialDigests?.column, 5)
            try insert.bind(standing.head.history, 6)
            try insert.bindStep(standing.head, 8)
            try insert.bind((draft.begun ?? now()).secondsSince1970, 10)
            return try insert.run()
        }
        // SQLite writes an index anew whenever one of its columns is set, changed or not: most commits leave the end alone.
        if before.head.history != standing.head.history || before.end != standing.end || draft.initialDigests != nil {
            try update.bind(standing.number, 1)
            try update.bind(standing.end?.secondsSince1970, 2)
            try update.bind(draft.initialDigests?.column, 3)
            try update.bind(standing.head.history, 4)
            try update.bindStep(standing.head, 6)
            try update.bind(draft.language.rawValue, 8)
            return try update.run()
        }
        try advance.bind(standing.number, 1)
        try advance.bindStep(standing.head, 2)
        try advance.bind(draft.language.rawValue, 4)
        try advance.run()
    }
}

/// The rows of outcomes, as the writer writes and deletes them; on the writer's thread, inside its transactions.
final class OutcomeRows {
    private let put: Statement
    private let findEnded: Statement
    private let delete: Statement
    private let deleteOfSession: Statement
    private let connection: Connection

    init(_ connection: Connection) throws(SQLiteFailure) {
        self.connection = connection
        put = try connection.prepare(
            """
            INSERT OR REPLACE INTO keys
                (session, digest, ends, fingerprint, status, entity_tag, content_type, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        findEnded = try connection.prepare(
            "SELECT session, digest FROM keys WHERE ends <= ?1 ORDER BY ends LIMIT ?2")
        delete = try connection.prepare("DELETE FROM keys WHERE session = ?1 AND digest = ?2")
        deleteOfSession = try connection.prepare(
            """
            DELETE FROM keys WHERE session = ?1 AND digest IN
                (SELECT digest FROM keys WHERE session = ?1 LIMIT ?2)
            """)
    }

    /// Writes an outcome; one under the same key, whose time is over, makes room for it.
    func write(_ outcome: RememberedOutcome, of session: Int64) throws(SQLiteFailure) {
        try put.bind(session, 1)
        try put.bind(outcome.key.bytes, 2)
        try put.bind(outcome.end.secondsSince1970, 3)
        try put.bind(outcome.fingerprint, 4)
        try put.bind(Int64(outcome.status), 5)
        try put.bind(outcome.entityTag, 6)
        try put.bind(outcome.contentType, 7)
        try put.bind(outcome.body, 8)
        try put.run()
    }

    /// Deletes outcomes whose end has come, the earliest first.
    ///
    /// - Returns: how many.
    func deleteEnded(by now: TimeOfDay, limit: Int) throws(SQLiteFailure) -> Int {
        // One by one: `WHERE (session, digest) IN (SELECT …)` reads all rows of each session (EXPLAIN QUERY PLAN).
        let ended = try ended(by: now, limit: limit)
        for (session, digest) in ended {
            try delete.bind(session, 1)
            try delete.bind(digest, 2)
            try delete.run()
        }
        return ended.count
    }

    private func ended(
        by now: TimeOfDay, limit: Int
    ) throws(SQLiteFailure) -> [(session: Int64, digest: [UInt8])] {
        try findEnded.bind(now.secondsSince1970, 1)
        try findEnded.bind(Int64(limit), 2)
        defer { findEnded.reset() }
        var ended: [(Int64, [UInt8])] = []
        while try findEnded.step() { ended.append((findEnded.integer(0), findEnded.bytes(1))) }
        return ended
    }

    /// Deletes outcomes of a session, whatever their end.
    ///
    /// - Returns: how many; less than the limit when none is left.
    func delete(of session: Int64, limit: Int) throws(SQLiteFailure) -> Int {
        try deleteOfSession.bind(session, 1)
        try deleteOfSession.bind(Int64(limit), 2)
        try deleteOfSession.run()
        return connection.changes
    }
}
