import Sessions
import ViewModels

/// The steps of one session, to be put to a store.
package struct Steps: Sendable {
    /// The session.
    package let id: SessionID
    /// The epochs of its commits.
    package let history: SessionHistory
    /// Tells its versions from those of others.
    private let nonce = UInt64.random(in: 1...UInt64.max)

    /// The steps of a session of its own.
    package init(id: SessionID = SessionToken.random().sessionID, epoch: Epoch = .random()) {
        self.id = id
        history = SessionHistory(beginningIn: 1, epoch: epoch)
    }

    /// Where the session stands at a commit.
    ///
    /// - Parameter remembered: how many outcomes have been remembered since then.
    package func head(_ seq: UInt64, remembered: UInt64 = 0) -> SessionHead {
        SessionHead(version: version(seq, remembered: remembered), seq: seq, history: history)
    }

    /// The mark of a commit.
    package func version(_ seq: UInt64, remembered: UInt64 = 0) -> CommitVersion {
        CommitVersion(number: seq << 16 | remembered, nonce: nonce)
    }

    /// The session's creation.
    package func creation(language: Language = .japanese, end: TimeOfDay? = nil) -> Commit {
        Commit(id: id, base: nil, head: head(0), language: language, end: end)
    }

    /// A step from one commit to the next.
    ///
    /// - Parameter remembered: how many outcomes were remembered at the commit that it stands on.
    package func step(
        from seq: UInt64, remembered: UInt64 = 0, _ viewModels: ViewModelRecord..., language: Language = .japanese,
        end: TimeOfDay? = nil, outcome: RememberedOutcome? = nil
    ) -> Commit {
        Commit(
            id: id, base: version(seq, remembered: remembered), head: head(seq + 1), language: language, end: end,
            viewModels: viewModels, outcome: outcome)
    }

    /// The steps of another writer of the same session, which has read it at a commit.
    package func ofAnotherWriter(from seq: UInt64) -> Commit {
        let head = SessionHead(version: version(seq).next(), seq: seq + 1, history: history)
        return Commit(id: id, base: version(seq), head: head, language: .japanese)
    }

    /// A step that only remembers an outcome, the first at its commit or a later one.
    package func remembrance(at seq: UInt64, _ outcome: RememberedOutcome, after remembered: UInt64 = 0) -> Commit {
        Commit(
            id: id, base: version(seq, remembered: remembered), head: head(seq, remembered: remembered + 1),
            language: .japanese, outcome: outcome)
    }
}

extension ViewModelRecord {
    /// A record of one output that changed at a commit.
    package init(_ name: String, _ value: String, at seq: UInt64) {
        self.init(
            name: name, model: Array(#"{"value":"\#(value)"}"#.utf8),
            outputs: [OutputRecord(name: "text", value: Array("\"\(value)\"".utf8), seq: seq)])
    }
}

extension RememberedOutcome {
    /// An outcome of a request with a key.
    package init(
        _ key: String, of id: SessionID, status: Int = 200, body: String = "{}",
        end: TimeOfDay = TimeOfDay(secondsSince1970: 6_000_000_000)
    ) {
        self.init(
            key: KeyDigest(of: key, in: id), fingerprint: Array("of \(key)".utf8), status: status,
            entityTag: "\"\(key)\"", contentType: "application/json", body: Array(body.utf8), end: end)
    }
}
