import Sessions

/// Why the database did not do what was asked.
struct PostgresFailure: Error, Equatable {
    enum Kind: Equatable {
        /// There is no connection, so nothing was sent.
        case notConnected
        /// The connection broke when something had been sent.
        case lost
        /// No answer came in time; the statement may be done yet.
        case timedOut
        /// The server said no, and has undone the statement.
        case refused
        /// It was done, and may be lost with the server.
        case doubtful
        /// What is stored is not what a store wrote.
        case unreadable
    }

    let kind: Kind
    /// The SQLSTATE (https://www.postgresql.org/docs/15/errcodes-appendix.html), where the server gave one.
    let state: String?
    /// What libpq or the server says, in one line.
    let message: String

    init(_ kind: Kind, state: String? = nil, message: String) {
        self.kind = kind
        self.state = state
        self.message = message.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == "\t" } }
            .joined(separator: "; ")
    }

    /// What is stored is not what a store wrote.
    static func unreadable(_ what: String) -> PostgresFailure {
        PostgresFailure(.unreadable, message: "\(what) cannot be read: damaged, or written by a newer Bindery")
    }

    /// What one who only reads is told.
    var ofReading: StoreFailure { kind == .unreadable ? .unreadable(message) : .notSent }

    /// What one who writes is told.
    var ofWriting: StoreFailure {
        switch kind {
        case .notConnected, .refused: .notSent
        // What cannot be read is an answer, and the statement done.
        case .lost, .timedOut, .doubtful, .unreadable: .unknown
        }
    }

    /// Whether the connection is of no use any more.
    var endsConnection: Bool {
        switch kind {
        case .notConnected, .lost: true
        // Read-only: what was the primary is one no more, and another host may be. And where a statement is not prepared as it
        // should be, after a prepare that was given up, by a pooler, or since a table was changed: a new connection knows.
        case .refused:
            ["25006", "26000", "42P05", "0A000"].contains(state)
                || ["57P", "08"].contains { state?.hasPrefix($0) == true }
        case .timedOut, .doubtful, .unreadable: false
        }
    }

    /// Whether the server's end has not the statements that this connection prepared, or has others' of the same names.
    var isOfPooler: Bool { kind == .refused && ["26000", "42P05"].contains(state) }

    /// Whether one commit of a group may be the reason, for which the others need not suffer: what it holds
    /// (classes 21 to 23, and limits of a row).
    var isOfData: Bool {
        guard kind == .refused, let state else { return false }
        return ["21", "22", "23", "54"].contains(String(state.prefix(2)))
    }

    /// Whether others were writing what was to be written: it is tried again
    /// (lock not available, deadlock, serialization failure).
    var isLocked: Bool {
        guard kind == .refused, let state else { return false }
        return ["55P", "40P", "400"].contains(String(state.prefix(3)))
    }

    /// Whether the server gave it up, by its `statement_timeout` or for want of a lock: the next may take as long.
    var isGivenUp: Bool { kind == .refused && (state == "57014" || state == "55P03") }

    /// What an operator is told: what was said, and what that means where the words say little.
    ///
    /// libpq has no SQLSTATE for a connection that is refused: it is known by its words, where they are English.
    var explanation: String {
        let meanings = [
            (
                "too many clients already|remaining connection slots|too many connections for",
                "all connections that the server allows are taken (max_connections, or a limit of the role or database)"
            ),
            ("read-only", "the server takes no writes: it is a standby, or default_transaction_read_only is on"),
            ("statement timeout", "the server did not end it in time: a slow disk, or too much to do"),
            ("lock timeout", "somebody holds a lock that all need, as VACUUM FULL or ALTER TABLE do on a whole table"),
        ]
        let meaning =
            meaningOfState
            ?? meanings.first { words, _ in words.split(separator: "|").contains { message.contains($0) } }?.1
        return meaning.map { "\(message); \($0)" } ?? message
    }

    /// What the SQLSTATE means for an operator, where its words say little.
    private var meaningOfState: String? {
        switch state {
        case "26000", "42P05":
            "the connection does not have the statements that were prepared on it: mostly a pooler by transactions stands before "
                + "the server, or has become one; connect to the server itself, or let the pooler give each client a connection of "
                + "its own (pool_mode = session)"
        case "42703", "42P01":
            "the tables are not as a released Bindery makes them: a build between two releases made them, or somebody changed them"
        case let state? where state.hasPrefix("531"): "a disk of the database server is full"
        default: nil
        }
    }

    /// The reason in a word, for metrics.
    var reason: String {
        switch kind {
        case .notConnected, .lost: "connection"
        case .timedOut: "timeout"
        case .doubtful: "standby"
        case .unreadable: "unreadable"
        case .refused:
            switch state?.prefix(3) {
            case "531": "disk-full"
            case "250": "read-only"
            default: isLocked ? "locked" : isGivenUp ? "timeout" : "refused"
            }
        }
    }

    /// Every reason there is.
    static let reasons = [
        "connection", "timeout", "standby", "unreadable", "disk-full", "read-only", "locked", "refused",
    ]
}
