import Sessions

/// Outcomes that a Bindery of the second schema stored: under their keys as they were sent, without an end, and with plain
/// digests of the requests.
///
/// Looked for whenever the file is opened, since that Bindery may have had it in between.
struct EarlierOutcomes {
    let connection: Connection
    let now: TimeOfDay

    /// Takes them over, so that their requests are still answered for as long as others are; then nothing is left in the
    /// file that a key or a password could be read from or tried against.
    func takeOver() throws(SQLiteFailure) {
        guard try connection.integer("SELECT 1 FROM outcomes LIMIT 1") != nil else { return }
        try connection.execute("PRAGMA secure_delete = ON")
        try connection.transaction { () throws(SQLiteFailure) in
            try move()
            try connection.execute("DELETE FROM outcomes")
        }
        try connection.execute("PRAGMA secure_delete = FAST")
    }

    private func move() throws(SQLiteFailure) {
        let rows = try OutcomeRows(connection)
        // The latest of a key that was used twice is written last, and stays.
        let earlier = try connection.prepare(
            """
            SELECT session, id, key, fingerprint, status, entity_tag, content_type, body
            FROM outcomes JOIN sessions ON sessions.number = session ORDER BY session, outcomes.number
            """)
        while try earlier.step() {
            let (id, key) = (earlier.sessionID(1), earlier.text(2))
            let window = SessionLimits().idempotencyWindow(of: id)
            try rows.write(
                RememberedOutcome(
                    key: KeyDigest(of: key, in: id),
                    fingerprint: IdempotentRequest.fingerprint(ofEarlier: earlier.text(3), key: Array(key.utf8)),
                    status: Int(earlier.integer(4)), entityTag: earlier.text(5), contentType: earlier.text(6),
                    body: earlier.bytes(7),
                    end: TimeOfDay(secondsSince1970: now.secondsSince1970 + window.components.seconds)),
                of: earlier.integer(0))
        }
    }
}
