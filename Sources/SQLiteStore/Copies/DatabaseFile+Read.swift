import CSQLite
import Foundation

// Reading a file that another process may have open.

extension DatabaseFile {
    /// Opens a file of Bindery for reading, also in a read-only directory.
    func reader() throws(SQLiteStoreError) -> Connection {
        guard access(path, R_OK) == 0 else { throw .inaccessible(path, errno) }
        let connection: Connection
        let identity: (application: Int64?, version: Int64?)
        do throws(SQLiteFailure) {
            connection = try readable()
            identity = (try connection.integer("PRAGMA application_id"), try connection.integer("PRAGMA user_version"))
        } catch {
            if error.primaryCode == SQLITE_NOTADB { throw .notBindery(path) }
            if !error.isDamage, !isDirectoryWritable, hasLog { throw unreadableLog }
            throw SQLiteStoreError(path, error)
        }
        guard identity.application == Int64(Self.application) else { throw .notBindery(path) }
        guard let version = identity.version, version == Int64(Self.version) else {
            throw .otherVersion(path, Int32(truncatingIfNeeded: identity.version ?? 0), known: Self.version)
        }
        return connection
    }

    /// A connection that can read.
    ///
    /// SQLite needs `PATH-shm` to read a file with a log, and cannot make it in a read-only directory. If the log is empty there,
    /// the file alone is the database.
    private func readable() throws(SQLiteFailure) -> Connection {
        let connection = try Connection(path, .read)
        do throws(SQLiteFailure) {
            _ = try connection.integer("SELECT 1 FROM sqlite_schema")
            return connection
        } catch {
            guard !error.isDamage, !isDirectoryWritable, !hasLog else { throw error }
            return try Connection(path, .readImmutable)
        }
    }

    private var isDirectoryWritable: Bool { access((path as NSString).deletingLastPathComponent, W_OK) == 0 }

    private var hasLog: Bool { DatabaseFile(path + "-wal").size > 0 }

    private var unreadableLog: SQLiteStoreError {
        SQLiteStoreError(
            .inaccessible,
            "\(path)-wal has commits that are not in \(path) yet, and SQLite cannot read them in a read-only directory. Copy "
                + "both files to a directory that this process may write, and use the copy.")
    }
}
