import Sessions

/// The commits of a group, folded by session, and not written yet.
struct Fold {
    private(set) var drafts: [SessionDraft] = []
    private var places: [SessionID: Int] = [:]

    /// How a session will stand, where the group has changed it.
    func standing(of id: SessionID) -> Standing? { places[id].map { drafts[$0].standing } }

    /// Takes a commit that stands on where the session will stand.
    ///
    /// - Parameters:
    ///   - standing: how the session stands in the file; nil where it is not there.
    ///   - number: what the session is to be known by, where the commit creates it.
    mutating func take(_ commit: Commit, on standing: Standing?, orAs number: @autoclosure () -> Int64) {
        if let place = places[commit.id] { return drafts[place].apply(commit) }
        places[commit.id] = drafts.count
        drafts.append(
            standing.map { SessionDraft(of: commit, on: $0) } ?? SessionDraft(creating: commit, as: number()))
    }

    /// Forgets the drafts, which have been written.
    mutating func removeAll() {
        drafts.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}
