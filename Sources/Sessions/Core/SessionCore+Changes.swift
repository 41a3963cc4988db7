import ViewModels

extension SessionCore {
    /// Throws where a query cannot be answered.
    func check(_ query: FeedQuery) throws {
        try check()
        if let refusal = feed.refusal(of: query) { throw SessionFailure.unreadable(refusal) }
    }

    /// Whether a query can be answered without reading the session again or making a view model first.
    func isCurrent(for query: FeedQuery) -> Bool {
        !isShared && !isBehind && isDerived && feed.missing(for: query).isEmpty
    }

    /// Lets a poll wait, unless there is something to say.
    ///
    /// Decided in one event, under one lock, with the look for news, so that none falls between the look and the wait.
    ///
    /// - Returns: what there is to say; and whose place the poll took.
    mutating func park(
        _ poll: Waits.Wait, for query: FeedQuery, isOver: Bool, isDraining: Bool
    ) -> (Waits.Outcome?, superseded: Waits.Ended?) {
        if phase == .ended { return (.ended, nil) }
        if let refusal = feed.refusal(of: query) { return (.unreadable(refusal), nil) }
        let missing = feed.missing(for: query)
        if isDerived, missing.isEmpty, let answer = feed.answer(to: query) { return (.changed(answer), nil) }
        let cursor = idleCursor(for: query)
        // The client's next poll loads the session again. Looked at after the search for changes, which the idle cursor would
        // skip otherwise.
        if phase == .evicted { return (.idle(.deadline, at: cursor), nil) }
        // Also where it asks without waiting: whoever comes back later is to come to another server.
        if isDraining { return (.idle(.drainingForAWhile, at: cursor), nil) }
        if isOver { return (.idle(.deadline, at: cursor), nil) }
        let limit = id == .public ? limits.pollsOfPublicSession : limits.pollsPerSession
        let superseded = waits.add(poll, for: query, limit: limit)
        if !missing.isEmpty || isBehind || !isDerived { ask(.show(missing, Asker())) }
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

    /// What changed since the query's cursor, of what is shown.
    func changes(_ query: FeedQuery) throws -> FeedAnswer? {
        try check(query)
        return feed.answer(to: query)
    }

    /// The committed state of one view model, or why it cannot be shown; nil where it has to be made or read first.
    ///
    /// The store is not looked at.
    func view(at place: Int) throws -> View? {
        try check()
        if isBehind || !isDerived { return nil }
        if let refusal = feed.refusal(at: place) { throw SessionFailure.unreadable(refusal) }
        return feed.view(at: place)
    }
}
