/// How long a session lives that nobody uses, by which the ends in a file were put.
///
/// A table of its own, which is no step of the schema: every Bindery can go on with the file.
enum Lifetime {
    /// Has the stored sessions end as if they had always lived so long after their last use.
    ///
    /// Of a file that does not say by which lifetime its ends were put, they stay.
    ///
    /// - Throws: where another was known and the ends cannot be put anew; nothing has changed then.
    static func set(_ seconds: Int64, _ connection: Connection) throws(SQLiteFailure) {
        guard let known = try known(to: connection) else {
            // Where the disk is full, the sessions are served all the same.
            try? connection.execute(
                """
                CREATE TABLE IF NOT EXISTS lifetime (
                    number INTEGER PRIMARY KEY CHECK (number = 1),
                    seconds INTEGER NOT NULL
                ) STRICT;
                INSERT OR REPLACE INTO lifetime VALUES (1, \(seconds));
                """)
            return
        }
        guard seconds != known else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteFailure) {
            try connection.execute(
                """
                UPDATE sessions SET ends = ends + \(seconds - known) WHERE ends IS NOT NULL;
                UPDATE lifetime SET seconds = \(seconds);
                COMMIT;
                """)
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private static func known(to connection: Connection) throws(SQLiteFailure) -> Int64? {
        guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'lifetime'") != nil else { return nil }
        return try connection.integer("SELECT seconds FROM lifetime")
    }
}
