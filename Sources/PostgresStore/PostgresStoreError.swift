/// Why a database cannot be used, in one line for the operator.
///
/// The line names host and database, never a password: it belongs on a terminal or in a log, never in an answer to a client.
public struct PostgresStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Code: Equatable, Sendable {
        /// The URI is none.
        case unreadableURI
        /// No server was reached that can be written, or it let nobody in.
        case notConnected
        /// The tables were written by a newer Bindery; they were left as they are.
        case newer
        /// Others have the tables open, or one has them who must be alone.
        case inUse
        /// There are no tables to be read.
        case missing
        /// The tables have a part of what a copy was to bring, which was broken off.
        case unfinished
        /// The server refused what was asked.
        case refused
    }

    /// What kind of trouble it is.
    public let code: Code
    /// The database, what is wrong with it and what to do, in one line.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// The SQLSTATE by which this says that others have the tables open; of the class that is left to applications.
    static let inUseState = "BY002"

    init(_ target: Target, _ failure: PostgresFailure) {
        switch failure.kind {
        case .notConnected: self.init(.notConnected, "cannot reach \(target.description): \(failure.explanation)")
        case .refused where failure.state == Schema.newerState:
            self.init(.newer, "\(target.description): \(failure.explanation)")
        case .refused where failure.state == Self.inUseState:
            self.init(.inUse, "\(target.description): \(failure.explanation)")
        case .refused where failure.state == Schema.missingState:
            self.init(.missing, "\(target.description): \(failure.explanation)")
        case .refused where failure.state == Schema.unfinishedState:
            self.init(.unfinished, "\(target.description): \(failure.explanation)")
        default: self.init(.refused, "\(target.description): \(failure.explanation)")
        }
    }
}
