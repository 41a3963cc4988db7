import ViewModels

// What is read of the session, and how its changes are waited for.

extension SessionCore {
    /// Lets somebody wait, unless there is something to say.
    ///
    /// Decided in one event, under one lock, with the look for news, so that none falls between the look and the wait.
    ///
    /// - Returns: what there is to say; and whose place it took.
    mutating func enter(
        _ wait: Waits.Wait, for query: FeedQuery, isOver: Bool, isDraining: Bool
    ) -> (Waits.Outcome?, superseded: Waits.Ended?) {
        if phase == .ended { return (.ended, nil) }
        if let failure = feed.failure(of: query) { return (.failed(failure), nil) }
        if isDerived, let answer = feed.answer(to: query) { return (.changed(answer), nil) }
        let cursor = idleCursor(for: query)
        // The client's next poll loads the session again. Looked at after the search for changes, which the idle cursor would
        // skip otherwise.
        if phase == .evicted { return (.idle(.deadline, at: cursor), nil) }
        // Also where it asks without waiting: whoever comes back later is to come to another server.
        if isDraining { return (.idle(.drainingForAWhile, at: cursor), nil) }
        if isOver { return (.idle(.deadline, at: cursor), nil) }
        let limit = id == .public ? limits.pollsOfPublicSession : limits.pollsPerSession
        let superseded = waits.add(wait, for: query, limit: limit)
        if isBehind || !isDerived { ask(.show(Asker())) }
        return (
            nil,
            superseded.map {
                Waits.Ended(waits: [$0.wait], outcome: .idle(.superseded, at: idleCursor(for: $0.query)))
            }
        )
    }

    /// The cursor of an `idle` answer: the feed's, where the client has been told everything up to it; else its own, so that
    /// it skips nothing.
    func idleCursor(for query: FeedQuery) -> Cursor {
        isDerived && feed.snapshotReason(for: query) == nil ? feed.cursor : query.since ?? feed.cursor
    }

    /// Takes out everybody who waits, to come back to another server: each after a while of its own.
    mutating func sendAway() -> [Waits.Ended] {
        var told: [Waits.Ended] = []
        for query in waits.queries {
            let cursor = idleCursor(for: query)
            told += waits.removeAll(asking: query).map {
                Waits.Ended(waits: [$0], outcome: .idle(.drainingForAWhile, at: cursor))
            }
        }
        return told
    }

    /// Whether what is shown is what this build derives of the latest that is known to be stored.
    private var isShown: Bool { !isBehind && isDerived }

    /// What changed since the query's cursor; nil where that is not known yet.
    ///
    /// - Throws: why it cannot be shown.
    func changes(_ query: FeedQuery) throws -> FeedAnswer?? {
        try check()
        guard isShown else { return nil }
        if let failure = feed.failure(of: query) { throw failure }
        return .some(feed.answer(to: query))
    }

    /// The committed state of one view model, or of a facet of it; nil where that is not known yet.
    ///
    /// - Throws: why it cannot be shown.
    mutating func view(at place: Int, narrowedTo facet: FacetDeclaration?) throws -> View? {
        try check()
        guard isShown else { return nil }
        guard let view = feed.keptView(at: place) else {
            throw feed.failure(at: place) ?? SessionFailure.unavailable(.notRead)
        }
        guard let facet else { return view }
        return view.narrowed(to: facet, of: feed.catalogue.viewModels[place], history: feed.head.history)
    }

    /// The committed state of all view models; nil where that is not known yet.
    ///
    /// - Throws: why one of them cannot be shown.
    func views() throws -> (cursor: Cursor, language: Language, views: [View])? {
        try check()
        guard isShown else { return nil }
        let views = try feed.catalogue.viewModels.indices.map { place in
            guard let view = feed.view(at: place) else {
                throw feed.failure(at: place) ?? SessionFailure.unavailable(.notRead)
            }
            return view
        }
        return (feed.cursor, feed.untouched.language, views)
    }
}
