import Sessions

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
