import CSQLite
import Foundation

/// A database file of Bindery: its schema, and how it is recognized and opened.
struct DatabaseFile {
    /// `PRAGMA application_id` of Bindery's files: "BIND" in ASCII.
    static let application: Int32 = 0x4249_4E44
    /// The version of the schema, in `PRAGMA user_version`; versions 1 to 5 were never released.
    static let version: Int32 = 6

    /// One row for each entity, so a load is one row, and compare-and-set is one `UPDATE`.
    ///
    /// Times are milliseconds since 1970. `nonce` and `seq` are the bits of unsigned numbers. A commit changes only one
    /// indexed column, `due`, and only with effects. Named entities never expire, so the index on `used` leaves them out.
    static let schema = """
        CREATE TABLE entities(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, seq INTEGER NOT NULL,
            nonce INTEGER NOT NULL, ring BLOB NOT NULL, language TEXT NOT NULL, used INTEGER NOT NULL,
            parts BLOB NOT NULL, owner TEXT, due INTEGER) STRICT;
        CREATE INDEX entities_used ON entities(used) WHERE kind = 'session';
        CREATE INDEX entities_owner ON entities(owner) WHERE owner IS NOT NULL;
        CREATE INDEX entities_due ON entities(due) WHERE due IS NOT NULL;
        CREATE TABLE keys(
            entity INTEGER NOT NULL, digest BLOB NOT NULL, request_hmac BLOB NOT NULL, status INTEGER NOT NULL,
            body BLOB NOT NULL, etag TEXT, ends INTEGER NOT NULL, PRIMARY KEY(entity, digest)) STRICT;
        CREATE INDEX keys_ends ON keys(ends);
        """

    /// The absolute path, without symbolic links: lock and log are beside the real file.
    let path: String

    /// Takes a path, relative to the working directory or absolute.
    init(_ path: String) {
        let absolute = URL(fileURLWithPath: path).standardizedFileURL.path
        if let real = realpath(absolute, nil) {
            self.path = String(cString: real)
            free(real)
        } else {
            self.path = absolute
        }
    }

    /// The size in bytes; 0 if no file is there.
    var size: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    var exists: Bool { access(path, F_OK) == 0 }

    /// Opens the file for the writer, and makes it if it is missing or empty.
    ///
    /// The caller has the ``FileLock``. A file that is not Bindery's, or has another schema, stays as it is.
    func open(_ durability: SQLiteStore.Durability) throws(SQLiteStoreError) -> Connection {
        let isNew = size == 0
        if isNew { try Self.create(path) } else { try requireHeader() }
        do throws(SQLiteFailure) {
            let connection = try Connection(path, writes: true)
            // Set this before the first table; later it would need a VACUUM. SQLite sets the mode when it compiles the
            // statement. A run would write a header without our application id.
            if isNew { _ = try connection.prepare("PRAGMA auto_vacuum = INCREMENTAL") }
            try connection.execute("PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF")
            // A kill before COMMIT leaves an empty file.
            if isNew {
                try connection.execute(
                    """
                    BEGIN IMMEDIATE; \(Self.schema)
                    PRAGMA application_id = \(Self.application); PRAGMA user_version = \(Self.version); COMMIT
                    """)
            }
            guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
                throw SQLiteFailure(
                    code: SQLITE_CANTOPEN, message: "its file system does not support a write-ahead log")
            }
            // After a burst, SQLite cuts the log back to this size.
            try connection.execute(
                """
                PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL");
                PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = \(64 << 20)
                """)
            return connection
        } catch {
            throw SQLiteStoreError(path, error)
        }
    }

    /// Opens a file of Bindery for reading; another process may have it open.
    func reader() throws(SQLiteStoreError) -> Connection {
        guard access(path, R_OK) == 0 else { throw .inaccessible(path, errno) }
        let connection: Connection
        let identity: [Int32]
        do throws(SQLiteFailure) {
            connection = try Connection(path)
            identity = try ["application_id", "user_version"].map { name throws(SQLiteFailure) in
                Int32(truncatingIfNeeded: try connection.integer("PRAGMA \(name)") ?? 0)
            }
        } catch {
            throw error.primaryCode == SQLITE_NOTADB ? .notBindery(path) : SQLiteStoreError(path, error)
        }
        try require(identity[0], identity[1])
        return connection
    }

    /// Refuses a file that is not Bindery's or has another schema.
    ///
    /// It reads the header itself (https://sqlite.org/fileformat.html#the_database_header): SQLite would replay a log into the
    /// file of another program. Call it before SQLite opens the file in this process: the close drops SQLite's locks
    /// (https://sqlite.org/howtocorrupt.html, section 2.2).
    func requireHeader() throws(SQLiteStoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inaccessible(path, errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw .inaccessible(path, errno) }
        func number(_ offset: Int) -> Int32 {
            Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        guard count == bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { throw .notBindery(path) }
        try require(number(68), number(60))
    }

    private func require(_ application: Int32, _ version: Int32) throws(SQLiteStoreError) {
        guard application == Self.application else { throw .notBindery(path) }
        guard version == Self.version else { throw .otherVersion(path, version, known: Self.version) }
    }

    /// Makes an empty file that only its owner may read, because rows have the input of users.
    static func create(_ path: String) throws(SQLiteStoreError) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(path, errno) }
        close(descriptor)
    }

    /// Flushes a file, or the names in a directory, to the disk.
    static func flush(_ path: String) throws(SQLiteStoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inaccessible(path, errno) }
        defer { close(descriptor) }
        // Some file systems cannot flush a directory (EINVAL).
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .inaccessible(path, errno) }
    }
}
