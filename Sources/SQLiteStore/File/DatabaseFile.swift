import CSQLite
internal import Events
import Foundation

/// The file of a store, and how it is opened by whoever has its ``FileLock``.
struct DatabaseFile {
    /// Where it is, absolute and without links.
    let path: String
    let settings: Settings
    /// The mark of what it holds.
    var mark = Incarnation()

    /// Opens the file for the writer; makes it where there is none, and leads one of an earlier schema to the present one,
    /// of which a copy is kept as it was.
    ///
    /// A file that is not Bindery's, is of a later schema that this one cannot use, or is damaged is left as it is.
    ///
    /// - Returns: the writer's transactions.
    func open() throws(SQLiteStoreError) -> GroupCommit {
        try finishRestore()
        try Self.checkNames(of: path)
        try checkHeader()
        let isSuspect = isSuspect
        let connection = try attempt { () throws(SQLiteFailure) in try connect() }
        guard LogMark.isOwnLog(connection, of: path) else { throw .otherLog(path) }
        if isSuspect { try attempt { () throws(SQLiteFailure) in try check(connection) } }
        // The header may be older than the log beside it.
        let number = try attempt { () throws(SQLiteFailure) in try connection.integer("PRAGMA user_version") ?? 0 }
        let version = FileVersion(number: Int32(truncatingIfNeeded: number))
        guard version.isReadable(by: settings.schema.version) else { throw newer(version) }
        let source = try attempt { () throws(SQLiteFailure) in try Filling.source(of: connection) }
        if let source, settings.purpose != .target { throw .unfinished(path, of: source) }
        let copy = try copyBeforeMigration(from: version.schema)
        do throws(SQLiteStoreError) {
            try attempt { () throws(SQLiteFailure) in try prepare(connection, from: version) }
        } catch {
            // The file is as it was: it is its own copy.
            copy.map { _ = unlink($0) }
            throw error
        }
        if let copy {
            settings.log?.record(
                Event(
                    .storeMigrated,
                    [
                        "path": .text(path), "from": .number(Int(version.schema)),
                        "schema": .number(Int(settings.schema.version)), "copy": .text(copy),
                        "wayBack": .text(wayBack(to: version)),
                    ]))
        }
        let checkpointer = settings.durability == .process ? try Checkpointer(path, settings) : nil
        return try attempt { () throws(SQLiteFailure) in
            try GroupCommit(connection, path, settings, mark, checkpointer: checkpointer)
        }
    }

    /// Tells the log that the file is open.
    func tellOpened(sessions: Int, after time: Duration) {
        settings.log?.record(
            Event(
                .storeOpened,
                [
                    "path": .text(path), "bytes": .number(bytes(in: path)), "sessions": .number(sessions),
                    "schema": .number(Int(settings.schema.version)), "durability": .text(settings.durability.rawValue),
                    "milliseconds": .number(time.milliseconds),
                ]))
    }

    /// Tells the log that another program writes the file.
    func tellOfOthers() { settings.log?.record(Event(.storeWrittenByAnother, ["path": .text(path)])) }

    /// What the Bindery that wrote a file makes of it now.
    private func wayBack(to version: FileVersion) -> String {
        guard settings.schema.fileVersion.isReadable(by: version.schema) else {
            return "the Bindery from before refuses the file now, and takes the copy"
        }
        let goesOn = "the Bindery from before can go on with the file"
        // Keys have a table of their own since then.
        return version.schema < 3 ? goesOn + ", but knows none of the idempotency keys that come from now on" : goesOn
    }

    private func finishRestore() throws(SQLiteStoreError) {
        guard Restore.isUnfinished(path) else { return }
        let kept = try Restore(source: "", target: path).finish()
        settings.log?.record(Event(.storeRestored, ["path": .text(path), "kept": kept.map { .text($0) }]))
    }

    /// A link can be followed (``RealPath``); of two hard links, nothing says which is the name, and a directory is none.
    static func checkNames(of path: String) throws(SQLiteStoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR { throw .inaccessible(path, EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else { return }
        throw .hardLinked(path, names: Int(status.st_nlink))
    }

    private func checkHeader() throws(SQLiteStoreError) {
        guard let header = try DatabaseHeader.read(path) else {
            // SQLite takes an empty file for a new database, and gives its companions the same permissions.
            let reason = PrivateFile.create(path)
            guard reason == 0 || reason == EEXIST else { throw .inaccessible(path, reason) }
            return
        }
        guard header.application == Schema.application else { throw .notBindery(path) }
        guard header.version.isReadable(by: settings.schema.version) else { throw newer(header.version) }
    }

    private func newer(_ version: FileVersion) -> SQLiteStoreError {
        .newer(path, version.schema, than: settings.schema.version)
    }

    /// Keeps a copy of a file that has to be migrated: nothing else leads back to the Bindery that wrote it.
    ///
    /// - Returns: where the copy is; nil where nothing is to be migrated.
    private func copyBeforeMigration(from version: Int32) throws(SQLiteStoreError) -> String? {
        guard version > 0, version < settings.schema.version else { return nil }
        let names = SQLiteStoreError.copies(of: path, before: settings.schema.version)
        guard let copy = names.first(where: { access($0, F_OK) != 0 }) else {
            throw .uncopied(path, to: settings.schema.version, "there are \(names.count) copies already")
        }
        do throws(SQLiteStoreError) {
            // Also of a part, which is about to be filled anew.
            try Backup(source: path, target: copy).run(takesParts: true)
        } catch {
            throw .uncopied(path, to: settings.schema.version, error.description)
        }
        return copy
    }

    private func attempt<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteStoreError) -> Result {
        do throws(SQLiteFailure) {
            return try body()
        } catch {
            if error.primaryCode == SQLITE_READONLY { throw .readOnly(path) }
            throw SQLiteStoreError(path, error)
        }
    }

    private func connect() throws(SQLiteFailure) -> Connection {
        let isNew = bytes(in: path) == 0
        let connection = try Connection(path: path, .write, patience: settings.patience)
        // Does its work when it is compiled; run, it would write a header that is not Bindery's yet.
        if isNew { _ = try connection.prepare("PRAGMA auto_vacuum = INCREMENTAL") }
        guard !connection.isReadOnly else { throw SQLiteFailure(code: SQLITE_READONLY, message: "read only") }
        try connection.execute(pragmas)
        return connection
    }

    /// Whether the file is to be checked.
    ///
    /// A log that was left behind shows that the last store was not closed. SQLite mends that by itself; the check is for
    /// what the disk, the memory or a copying hand did to the file meanwhile.
    private var isSuspect: Bool {
        let size = bytes(in: path)
        return size > 0 && (size <= settings.checkedSize || bytes(in: path + "-wal") > 0)
    }

    private func bytes(in path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private var pragmas: String {
        """
        PRAGMA page_size = \(settings.pageSize);
        PRAGMA cache_size = -8192;
        PRAGMA temp_store = MEMORY;
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA secure_delete = FAST;
        -- On a Mac, fsync(2) does not reach the disk; elsewhere these two say nothing.
        PRAGMA fullfsync = ON;
        PRAGMA checkpoint_fullfsync = ON;
        """
    }

    private func check(_ connection: Connection) throws(SQLiteFailure) {
        let finding = try connection.text("PRAGMA quick_check(1)") ?? ""
        guard finding == "ok" else { throw SQLiteFailure(code: SQLITE_CORRUPT, message: finding) }
    }

    private func prepare(_ connection: Connection, from version: FileVersion) throws(SQLiteFailure) {
        try settings.schema.migrate(connection, from: version.schema)
        if settings.purpose == .target { try Filling.clear(connection) }
        try EarlierOutcomes(connection: connection, now: settings.now()).takeOver()
        // Only now: as long as the log was not there, the header is in the file itself, where the next start reads it.
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "its file system does not support a write-ahead log")
        }
        try connection.execute(
            """
            PRAGMA synchronous = \(settings.durability == .power ? "FULL" : "NORMAL");
            PRAGMA journal_size_limit = \(4 * Int(settings.checkpointPages) * settings.pageSize);
            """)
        try LogMark.make(connection)
        if let timeToLive = settings.timeToLive { try TimeToLive.set(timeToLive, connection) }
        if let pages = settings.maximumPages { try connection.execute("PRAGMA max_page_count = \(pages)") }
    }
}
