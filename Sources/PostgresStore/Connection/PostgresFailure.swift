import Entities

/// The reason why a statement failed.
struct PostgresFailure: Error, Equatable {
    enum Kind: Equatable {
        /// There is no connection, so nothing was sent.
        case notConnected
        /// The connection broke after something was sent.
        case lost
        /// No answer came in time. The server may still do the statement.
        case timedOut
        /// The server refused the statement and rolled it back.
        case refused
        /// The server did the statement, but a fail-over may lose it.
        case doubtful
    }

    let kind: Kind
    /// The SQLSTATE (https://www.postgresql.org/docs/15/errcodes-appendix.html), if the server gave one.
    let state: String
    /// The message of libpq or the server, in one line.
    let message: String

    init(_ kind: Kind, state: String = "", message: String) {
        (self.kind, self.state) = (kind, state)
        self.message = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }

    /// Whether the connection cannot be used again.
    var endsConnection: Bool {
        switch kind {
        case .notConnected, .lost, .timedOut: true
        case .doubtful: false
        // A primary that has become read-only (25006) or shuts down (57P): another host may take writes.
        case .refused: state == "25006" || state.hasPrefix("57P") || state.hasPrefix("08")
        }
    }

    /// Whether the statement collided with another transaction and may be tried again (serialization failure, deadlock).
    var isCollision: Bool { kind == .refused && ["40001", "40P01", "55P03"].contains(state) }

    /// The result of the commits in the statement.
    var commitResult: CommitResult {
        switch kind {
        case .notConnected: .refused
        case .lost, .timedOut, .doubtful: .unknown
        // "Statement completion unknown", and connection errors that a pooler or a distributed engine passes on.
        case .refused: state == "40003" || state.hasPrefix("08") ? .unknown : .refused
        }
    }
}
