/// The shape of the database, as a list of steps.
///
/// A step that was released is never changed: files of every earlier version are led through the steps they lack.
struct Schema {
    /// `PRAGMA application_id` of Bindery's files: "BIND" in ASCII.
    static let application: Int32 = 0x4249_4E44

    /// The schema of this Bindery.
    static let current = Schema(migrations: [.first, .second, .third])

    let migrations: [Migration]

    /// The version the steps lead to.
    var version: Int32 { migrations.last?.version ?? 0 }

    /// What a file of this schema says of itself.
    var fileVersion: FileVersion {
        FileVersion(schema: version, readableFrom: migrations.last?.readableFrom ?? version)
    }

    /// Leads a database to this version, in one transaction.
    func migrate(_ connection: Connection, from version: Int32) throws(SQLiteFailure) {
        guard version < self.version else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteFailure) {
            for migration in migrations where migration.version > version {
                try connection.execute(migration.statements)
            }
            try connection.execute(
                "PRAGMA application_id = \(Self.application); PRAGMA user_version = \(fileVersion.number); COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }
}
