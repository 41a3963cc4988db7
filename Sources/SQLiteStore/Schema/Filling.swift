/// Where a file is being filled from by a copy, for as long as it has a part alone.
///
/// A table of its own, which is no step of the schema, and is there no longer than that.
enum Filling {
    /// - Returns: nil where the file has all that it is to have.
    static func source(of connection: Connection) throws(SQLiteFailure) -> String? {
        try connection.hasTable("filling") ? connection.text("SELECT source FROM filling") : nil
    }

    /// Notes it, inside a transaction; nil where all is there.
    static func note(_ source: String?, _ connection: Connection) throws(SQLiteFailure) {
        try connection.execute("DROP TABLE IF EXISTS filling")
        guard let source else { return }
        try connection.execute("CREATE TABLE filling (source TEXT NOT NULL) STRICT")
        let statement = try connection.prepare("INSERT INTO filling VALUES (?1)")
        try statement.bind(source, 1)
        try statement.run()
    }

    /// Empties a file that has a part alone, and goes on to say so.
    ///
    /// Whoever fills it does that anew.
    static func clear(_ connection: Connection) throws(SQLiteFailure) {
        guard try source(of: connection) != nil else { return }
        try connection.transaction { () throws(SQLiteFailure) in
            for table in ["keys", "outcomes", "view_models", "sessions"] {
                try connection.execute("DELETE FROM \(table)")
            }
        }
    }
}
