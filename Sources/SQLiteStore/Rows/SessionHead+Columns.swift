import Sessions

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
        guard let history, let version else { throw SQLiteFailure.unreadable }
        return SessionHead(version: version, seq: seq, history: history)
    }
}

extension CommitVersion {
    /// Sixteen bytes: the number and the nonce, the highest byte first.
    fileprivate var encoded: [UInt8] { number.bigEndianBytes + nonce.bigEndianBytes }

    fileprivate init?(encoded bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(number: UInt64(bigEndianBytes: bytes[..<8]), nonce: UInt64(bigEndianBytes: bytes[8...]))
    }
}

extension SessionHistory {
    /// The incarnation, then for each chapter its first commit and its epoch with a length before it.
    fileprivate var encoded: [UInt8] {
        chapters.reduce(into: incarnation.bigEndianBytes) { bytes, chapter in
            bytes += chapter.first.bigEndianBytes
            bytes.append(UInt8(chapter.epoch.rawValue.utf8.count))
            bytes += chapter.epoch.rawValue.utf8
        }
    }

    fileprivate init?(encoded bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        var chapters: [Chapter] = []
        var rest = bytes[8...]
        while !rest.isEmpty {
            guard rest.count > 9 else { return nil }
            let first = UInt64(bigEndianBytes: rest.prefix(8))
            let length = Int(rest[rest.startIndex + 8])
            rest = rest.dropFirst(9)
            guard rest.count >= length, let epoch = Epoch(String(decoding: rest.prefix(length), as: UTF8.self)) else {
                return nil
            }
            chapters.append(Chapter(epoch: epoch, first: first))
            rest = rest.dropFirst(length)
        }
        self.init(chapters: chapters, incarnation: UInt64(bigEndianBytes: bytes[..<8]))
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
