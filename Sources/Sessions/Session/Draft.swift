/// What an action changed, before it is committed.
struct Draft: Sendable {
    let commit: Commit
    /// The new views, by place in the catalogue.
    let views: [(place: Int, view: View)]

    /// Shows it in a feed.
    func apply(to feed: inout ChangeFeed) {
        for (place, view) in views { feed.show(view, at: place) }
        feed.advance(to: commit.cursor)
    }
}
