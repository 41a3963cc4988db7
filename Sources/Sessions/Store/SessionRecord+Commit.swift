extension SessionRecord {
    /// The session a commit creates.
    public init(creating commit: Commit) {
        self.init(head: commit.head, language: commit.language)
        apply(commit)
    }

    /// Takes a step that stands on where the session stands; its outcome is the store's to keep and to count.
    public mutating func apply(_ commit: Commit) {
        head = commit.head
        end = commit.end
        if let known = commit.beginnings { beginnings = known }
        for viewModel in commit.viewModels { viewModels[viewModel.name] = viewModel }
    }
}
