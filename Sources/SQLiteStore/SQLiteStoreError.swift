/// Why a file cannot be used, in one line for the operator.
///
/// The line names the file: it belongs on a terminal or in a log, never in an answer to a client.
public struct SQLiteStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Code: Equatable, Sendable {
        /// Another store, in this process or another, has the file.
        case inUse
        /// The file was written by something else than Bindery; it was left as it is.
        case notBindery
        /// The file was written by a newer Bindery; it was left as it is.
        case newer
        /// The file is damaged; it was left as it is.
        case damaged
        /// The log beside the file is another file's, which was replaced by hand; both were left as they are.
        case otherLog
        /// The file has another name, a hard link, under which another store may have it; it was left as it is.
        case hardLinked
        /// The file has a part of what a copy was to bring, which was broken off.
        case unfinished
        /// There is a file where one was to be written.
        case exists
        /// There is no file to read.
        case missing
        /// The file system does not let the file be opened, read or written.
        case inaccessible
    }

    /// What kind of trouble it is.
    public let code: Code
    /// The file, what is wrong with it and what to do, in one line.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
