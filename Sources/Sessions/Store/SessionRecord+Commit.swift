extension SessionRecord {
    /// The session a commit creates.
    public init(creating commit: Commit) {
        self.init(epoch: commit.cursor.epoch, seq: commit.cursor.seq, language: commit.language)
        apply(commit)
    }

    /// Where the session stands.
    public var cursor: Cursor { Cursor(epoch: epoch, seq: seq) }

    /// Takes a step that stands on where the session stands.
    public mutating func apply(_ commit: Commit) {
        epoch = commit.cursor.epoch
        seq = commit.cursor.seq
        end = commit.end
        if let known = commit.beginnings { beginnings = known }
        for viewModel in commit.viewModels { viewModels[viewModel.name] = viewModel }
        guard let outcome = commit.outcome else { return }
        outcomes.append(outcome)
        if outcomes.count > RememberedOutcome.kept { outcomes.removeFirst(outcomes.count - RememberedOutcome.kept) }
    }
}
