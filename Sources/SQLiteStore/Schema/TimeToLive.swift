/// The time to live by which the ends in a file were put.
///
/// A table of its own, which is no step of the schema: every Bindery can go on with the file.
enum TimeToLive {
    /// Has the stored sessions end as if they had always had this time to live after their last use.
    ///
    /// Of a file that does not say by which one its ends were put, they stay.
    ///
    /// - Throws: where another was known and the ends cannot be put anew; nothing has changed then.
    static func set(_ timeToLive: Duration, _ connection: Connection) throws(SQLiteFailure) {
        let seconds = timeToLive.components.seconds
        guard let known = try known(to: connection) else {
            // Where the disk is full, the sessions are served all the same.
            try? connection.execute(
                """
                CREATE TABLE IF NOT EXISTS time_to_live (
                    number INTEGER PRIMARY KEY CHECK (number = 1),
                    seconds INTEGER NOT NULL
                ) STRICT;
                INSERT OR REPLACE INTO time_to_live VALUES (1, \(seconds));
                """)
            return
        }
        guard seconds != known else { return }
        try connection.transaction { () throws(SQLiteFailure) in
            try connection.execute(
                """
                UPDATE sessions SET ends = ends + \(seconds - known) WHERE ends IS NOT NULL;
                UPDATE time_to_live SET seconds = \(seconds);
                """)
        }
    }

    private static func known(to connection: Connection) throws(SQLiteFailure) -> Int64? {
        try connection.hasTable("time_to_live") ? connection.integer("SELECT seconds FROM time_to_live") : nil
    }
}
