import ViewModels

/// What an action changed, before it is committed.
struct Draft: Sendable {
    let commit: Commit
    /// The new views, by place in the catalogue.
    let views: [(place: Int, view: View)]
}
