import Sessions
import StoreParts

extension Statement {
    /// Binds the name of a session.
    func bind(_ id: SessionID, _ index: Int32) throws(SQLiteFailure) {
        switch id.column {
        case .digest(let bytes): try bind(bytes, index)
        case .text(let text): try bind(text, index)
        }
    }

    /// The name of a session in a column.
    func sessionID(_ column: Int32) -> SessionID {
        SessionID(isBytes(column) ? .digest(bytes(column)) : .text(text(column)))
    }
}

extension SessionHead {
    /// The columns that hold it, in the order in which ``Statement/head(from:)`` reads them.
    static let columns = "epoch, history, seq, version"
}

extension Statement {
    /// Binds a history, and before it the latest epoch, by which builds that know no histories go.
    func bind(_ history: SessionHistory, _ index: Int32) throws(SQLiteFailure) {
        try bind(history.epoch.rawValue, index)
        try bind(history.encoded, index + 1)
    }

    /// Binds what each commit moves: the seq and the version.
    func bindStep(_ head: SessionHead, _ index: Int32) throws(SQLiteFailure) {
        try bind(Int64(bitPattern: head.seq), index)
        try bind(head.version.encoded, index + 1)
    }

    /// Where a session stands; the last two of its columns are NULL until it is first written by a build that knows them.
    func head(from column: Int32) throws(SQLiteFailure) -> SessionHead {
        let seq = UInt64(bitPattern: integer(column + 2))
        let (history, version): (SessionHistory?, CommitVersion?) =
            if isNull(column + 1) {
                (
                    Epoch(text(column)).map { SessionHistory(beginningIn: 0, epoch: $0) },
                    CommitVersion(number: seq, nonce: 0)
                )
            } else {
                (SessionHistory(encoded: bytes(column + 1)), CommitVersion(encoded: bytes(column + 3)))
            }
        guard let history, let version else { throw SQLiteFailure.unreadable("where a session stands") }
        return SessionHead(version: version, seq: seq, history: history)
    }
}
