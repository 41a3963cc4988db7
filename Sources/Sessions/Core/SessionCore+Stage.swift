import ViewModels

// What the live view models have shown.

extension SessionCore {
    /// View models were made that nobody had touched yet.
    mutating func made(_ made: [(place: Int, Made)]) {
        guard let ask = leaveStage() else { return }
        var failure: (any Error)?
        for (place, made) in made {
            switch made {
            case .view(let view): changeFeeds { $0.show(view, at: place) }
            case .unreadable(let error):
                changeFeeds { $0.refuse(place, because: error) }
                failure = failure ?? SessionFailure.unreadable(error)
            case .failed(let error): failure = failure ?? error
            }
        }
        if let failure {
            answer(ask, .failure(failure))
        } else {
            tellPolls()
            begin(ask)
        }
        goOn()
    }

    /// What was stored was derived by this build.
    mutating func derived(_ derived: Derived) {
        guard let ask = leaveStage() else { return }
        for (place, error) in derived.unreadable { changeFeeds { $0.refuse(place, because: error) } }
        for case (let place, .view(let view)) in derived.made { changeFeeds { $0.show(view, at: place) } }
        if isBehind {
            again(ask)
        } else if let changes = derived.changes {
            submit(changes, for: Follower(ask: ask, answer: .derived))
        } else {
            answer(ask, .derived)
        }
        goOn()
    }
}
