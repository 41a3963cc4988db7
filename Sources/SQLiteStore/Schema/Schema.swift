/// The shape of the database, as a list of steps.
///
/// A step that was released is never changed: files of every earlier version are led through the steps they lack.
struct Schema {
    /// `PRAGMA application_id` of Bindery's files: "BIND" in ASCII.
    static let application: Int32 = 0x4249_4E44

    /// The schema of this Bindery.
    static let current = Schema(migrations: [.first, .second, .third, .fourth])

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
        try connection.transaction { () throws(SQLiteFailure) in
            for migration in migrations where migration.version > version {
                try connection.execute(migration.statements)
            }
            try connection.execute(
                "PRAGMA application_id = \(Self.application); PRAGMA user_version = \(fileVersion.number)")
        }
    }
}

/// What a file says of its schema, in one number: `PRAGMA user_version`, which is read from the file's header, before
/// SQLite has touched the file.
struct FileVersion: Equatable {
    /// The version of the schema.
    let schema: Int32
    /// The earliest version whose Bindery can use the file.
    let readableFrom: Int32

    /// Describes a file.
    init(schema: Int32, readableFrom: Int32) {
        self.schema = schema
        self.readableFrom = readableFrom
    }

    /// Takes the number apart: the schema's version in the lower half; in the upper one the earliest that can use the file,
    /// or 0 where that is the same.
    init(number: Int32) {
        schema = number & 0xFFFF
        readableFrom = number >> 16 == 0 ? schema : number >> 16
    }

    /// What the file says.
    var number: Int32 { readableFrom == schema ? schema : readableFrom << 16 | schema }

    /// Whether a Bindery of that version can use the file, once it has taken the steps that the file lacks.
    func isReadable(by version: Int32) -> Bool { readableFrom <= version }
}
