import CSQLite
import Foundation

/// Why a file cannot be used, in one line for the operator.
///
/// The line names the file, so it belongs in a terminal or a log, and never in an answer to a client.
package struct SQLiteStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Code: Equatable, Sendable {
        /// Another store, in this process or another, has the file.
        case inUse
        /// Another program wrote the file.
        case notBindery
        /// A Bindery with another schema wrote the file.
        case otherVersion
        /// The file is damaged.
        case damaged
        /// The target exists, and is not overwritten.
        case exists
        /// The file or its directory is missing.
        case missing
        /// The system does not let this process open, read or write the file.
        case inaccessible
    }

    package let code: Code
    /// The file, the error and a remedy, in one line.
    package let description: String

    init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}

extension SQLiteStoreError {
    /// The system refuses a call on a file; `reason` is the `errno`.
    static func inaccessible(_ path: String, _ reason: Int32) -> SQLiteStoreError {
        let remedy =
            switch reason {
            case EACCES, EPERM:
                "This process runs as user \(geteuid()), group \(getegid()): let that user write to the file and its "
                    + "directory, or choose another file."
            case ENOENT: "Make its directory, or choose another file."
            default: "Choose another file, or repair the file system."
            }
        let code: Code = reason == ENOENT ? .missing : .inaccessible
        return SQLiteStoreError(code, "\(path): \(String(cString: strerror(reason))). \(remedy)")
    }

    /// The file is not a database of Bindery.
    static func notBindery(_ path: String) -> SQLiteStoreError {
        SQLiteStoreError(
            .notBindery, "\(path) is not a database of Bindery. Bindery did not change it. Choose another file.")
    }

    /// The file has another schema.
    static func otherVersion(_ path: String, _ version: Int32, known: Int32) -> SQLiteStoreError {
        let age = version > known ? "a newer Bindery" : "a Bindery from before the first release"
        return SQLiteStoreError(
            .otherVersion,
            "\(path) was written by \(age): its schema is \(version), and this Bindery knows \(known). Bindery did not "
                + "change it. Use that Bindery, or choose another file.")
    }

    /// The file is damaged.
    static func damaged(_ path: String, _ finding: String) -> SQLiteStoreError {
        let finding = finding.split(whereSeparator: \.isNewline).joined(separator: "; ")
        return SQLiteStoreError(.damaged, "\(path) is damaged (\(finding)). Restore a backup.")
    }

    /// SQLite cannot use the file.
    init(_ path: String, _ failure: SQLiteFailure) {
        switch failure.primaryCode {
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path, failure.message)
        case SQLITE_READONLY:
            self.init(.inaccessible, "\(path) is read-only for this process. Let it write, or choose another file.")
        case SQLITE_FULL: self = .inaccessible(path, ENOSPC)
        default: self.init(.inaccessible, "\(path): SQLite says: \(failure.message).")
        }
    }
}
