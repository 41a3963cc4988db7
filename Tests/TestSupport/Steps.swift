import Sessions
import ViewModels

/// The steps of one session, to be put to a store.
package struct Steps: Sendable {
    /// The session.
    package let id: SessionID
    /// Its incarnation.
    package let epoch: Epoch

    /// The steps of a session of its own.
    package init(id: SessionID = SessionToken.random().sessionID, epoch: Epoch = .random()) {
        self.id = id
        self.epoch = epoch
    }

    /// A place in the session's feed.
    package func cursor(_ seq: UInt64) -> Cursor { Cursor(epoch: epoch, seq: seq) }

    /// The session's creation.
    package func creation(language: Language = .standard, end: SessionEnd? = nil) -> Commit {
        Commit(id: id, base: nil, cursor: cursor(0), language: language, end: end)
    }

    /// A step from one commit to the next.
    package func step(
        from seq: UInt64, _ viewModels: ViewModelRecord..., end: SessionEnd? = nil, outcome: RememberedOutcome? = nil
    ) -> Commit {
        Commit(
            id: id, base: cursor(seq), cursor: cursor(seq + 1), language: .standard, end: end, viewModels: viewModels,
            outcome: outcome)
    }

    /// A step that only remembers an outcome.
    package func remembrance(at seq: UInt64, _ outcome: RememberedOutcome) -> Commit {
        Commit(id: id, base: cursor(seq), cursor: cursor(seq), language: .standard, outcome: outcome)
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
    package init(_ key: String, status: Int = 200, body: String = "{}") {
        self.init(
            key: key, fingerprint: "of \(key)", status: status, entityTag: "\"\(key)\"",
            contentType: "application/json", body: Array(body.utf8))
    }
}
