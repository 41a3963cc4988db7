/// A step on its way to the store: submitted, not yet stored, and not yet shown.
struct Step: Sendable {
    let number: UInt64
    let commit: Commit
    /// The new views, by place in the catalogue.
    let views: [(place: Int, view: View)]
    /// Who is told what once it is stored: whoever asked for it, and whoever was answered out of what it leaves.
    var followers: [Follower] = []

    /// Shows it in a feed.
    func apply(to feed: inout ChangeFeed) {
        for (place, view) in views { feed.show(view, at: place) }
        feed.advance(to: commit.head, knowing: commit.beginnings)
    }
}

/// An ask that is answered once a step is stored, and begun again where it is not.
struct Follower: Sendable {
    enum Answer: Sendable {
        case performed(Result<Performed, any Error>)
        case done
        /// What was stored is derived: it goes on.
        case derived
    }

    let ask: Ask
    let answer: Answer
}
