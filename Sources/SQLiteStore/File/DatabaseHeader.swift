import Foundation

/// What the first 100 bytes of a file say of it (https://sqlite.org/fileformat.html#the_database_header).
///
/// Read from the file itself: SQLite would write to another program's file while it opens it, where a log was left
/// beside it.
struct DatabaseHeader: Equatable {
    /// `PRAGMA user_version`: the version of the schema, and what can read it.
    let version: FileVersion
    /// `PRAGMA application_id`: whose file it is.
    let application: Int32

    /// Reads the header of a file.
    ///
    /// Only for whoever has the ``FileLock``: closing a file takes away the locks of all others in the process that
    /// have it open (https://sqlite.org/howtocorrupt.html, section 2.2).
    ///
    /// - Returns: nil where there is no file, or an empty one.
    static func read(_ path: String) throws(SQLiteStoreError) -> DatabaseHeader? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .inaccessible(path, errno) }
            return nil
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw .inaccessible(path, errno) }
        guard count > 0 else { return nil }
        guard count == bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { throw .notBindery(path) }
        return DatabaseHeader(version: FileVersion(number: number(bytes[60..<64])), application: number(bytes[68..<72]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
        Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }
}
