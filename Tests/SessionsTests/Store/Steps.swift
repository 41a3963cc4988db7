import Sessions
import ViewModels

/// The steps of one session, to be put to a store.
struct Steps {
    let id: SessionID
    let epoch: Epoch

    init(id: SessionID = SessionToken.random().sessionID, epoch: Epoch = .random()) {
        self.id = id
        self.epoch = epoch
    }

    func cursor(_ seq: UInt64) -> Cursor { Cursor(epoch: epoch, seq: seq) }

    /// The session's creation.
    func creation(language: Language = .standard) -> Commit {
        Commit(id: id, base: nil, cursor: cursor(0), language: language, viewModels: [])
    }

    /// A step from one commit to the next.
    func step(from seq: UInt64, _ viewModels: ViewModelRecord...) -> Commit {
        Commit(id: id, base: cursor(seq), cursor: cursor(seq + 1), language: .standard, viewModels: viewModels)
    }
}

extension ViewModelRecord {
    /// A record of one output that changed at a commit.
    init(_ name: String, _ value: String, at seq: UInt64) {
        self.init(
            name: name, model: Array(#"{"value":"\#(value)"}"#.utf8),
            outputs: [OutputRecord(name: "text", value: Array("\"\(value)\"".utf8), seq: seq)])
    }
}
