import CSQLite
import Foundation

/// A mark by which a file and the log beside it are known to belong together.
///
/// SQLite takes any log that lies beside a file for the file's own (https://sqlite.org/howtocorrupt.html, section 1.4): where
/// a copy is put in a store's place and the log is left, it serves the old state, or a mixture. So each log says to which
/// file it belongs. Its first transaction gives the file a new mark, and names the one before: that is what the file alone
/// says until the log is copied into it, and afterwards it says the new one.
///
/// A log begins anew in the first transaction after all of it was copied, and only there
/// (https://sqlite.org/fileformat2.html#wal_reset): there the writer renews the mark, and nowhere else.
enum LogMark {
    /// The renewal of a mark, once it is there.
    ///
    /// With a page that every file has first: what the log says of the mark is then found without the file.
    static func renewal(fileVersion: Int64) -> String {
        """
        UPDATE log_mark SET previous = current, current = randomblob(16);
        PRAGMA user_version = \(fileVersion);
        """
    }

    /// Gives a mark to a file that has none; the empty one before says so.
    static func make(_ connection: Connection) throws(SQLiteFailure) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS log_mark (
                number INTEGER PRIMARY KEY CHECK (number = 1),
                current BLOB NOT NULL,
                previous BLOB NOT NULL
            ) STRICT;
            INSERT OR IGNORE INTO log_mark VALUES (1, randomblob(16), x'');
            """)
    }

    /// Gives a copy a mark that no log has.
    static func replace(_ connection: Connection) throws(SQLiteFailure) {
        try make(connection)
        try connection.execute("UPDATE log_mark SET current = randomblob(16), previous = randomblob(16)")
    }

    /// Gives the file a new mark when it is opened, so that copies from before are known from it.
    ///
    /// - Returns: whether the next transaction is to renew it again, because all of the log is in the file.
    static func begin(_ connection: Connection, fileVersion: Int64) -> Bool {
        // Where a reader, such as a backup, holds on to the log, it is not begun anew either.
        guard connection.checkpoint() else { return false }
        // Where the disk is full, the store can be read; the first transaction that succeeds renews the mark.
        do throws(SQLiteFailure) {
            try connection.transaction { () throws(SQLiteFailure) in
                try connection.execute(renewal(fileVersion: fileVersion))
            }
        } catch {
            return true
        }
        return connection.checkpoint()
    }

    /// Whether the log beside a file may be its own; it may where nobody can tell.
    ///
    /// For whoever has the ``FileLock``, before anything was written. Others look again where it says no: the log may have been
    /// begun anew between the two looks of this one.
    ///
    /// - Parameter connection: reads the file together with the log.
    static func isOwnLog(_ connection: Connection, of path: String) -> Bool {
        guard let alone = try? Connection(path: path, .readWithoutLog, patience: 0) else { return true }
        do throws(SQLiteFailure) {
            let whole = try read(connection)
            // While the log was being copied, the file may have been left in a state that cannot be read without the log.
            let file = try read(alone)
            guard let whole else { return file == nil }
            guard let file else { return whole.previous.isEmpty }
            return file.current == whole.current || file.current == whole.previous
        } catch {
            return true
        }
    }

    private static func read(
        _ connection: Connection
    ) throws(SQLiteFailure) -> (current: [UInt8], previous: [UInt8])? {
        guard try connection.hasTable("log_mark") else { return nil }
        let statement = try connection.prepare("SELECT current, previous FROM log_mark")
        return try statement.step() ? (statement.bytes(0), statement.bytes(1)) : nil
    }
}
