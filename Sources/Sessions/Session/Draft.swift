/// What an action changed, before it is committed.
///
/// A class, as it is handed to the store, to the line of flights and back, and one reference costs less than the dozen
/// in it.
final class Draft: Sendable {
    let commit: Commit
    /// The new views, by place in the catalogue.
    let views: [(place: Int, view: View)]

    init(commit: Commit, views: [(place: Int, view: View)]) {
        self.commit = commit
        self.views = views
    }

    /// Shows it in a feed.
    func apply(to feed: inout ChangeFeed) {
        for (place, view) in views { feed.show(view, at: place) }
        feed.advance(to: commit.head, knowing: commit.beginnings)
    }
}
