extension Session {
    /// Hands a draft to the store, and lets the next turn stand on it before it is stored.
    ///
    /// - Returns: what becomes of it; the draft is shown, or the session is marked as behind, before that is known.
    func submit(_ draft: Draft, on stage: Stage) -> Settlement {
        let settlement = Settlement()
        let number = state.withLock { state in
            state.nextFlight += 1
            state.flights.append(Flight(number: state.nextFlight, draft: draft, settlement: settlement))
            return state.nextFlight
        }
        stage.latest = settlement
        surroundings.store.submit(draft.commit) { [self] failure in settle(number, failure) }
        if settlement.isSettled && stage.ahead == nil { return settlement }
        var feed = latestFeed(on: stage)
        draft.apply(to: &feed)
        stage.ahead = feed
        return settlement
    }

    /// The store has said what became of a step: it is shown, or the session has to be read again.
    private func settle(_ number: UInt64, _ failure: StoreFailure?) {
        let (flight, told, isToRead) = state.withLock { state -> (Flight?, [WaitingPolls.Told], Bool) in
            guard let index = state.flights.firstIndex(where: { $0.number == number }) else { return (nil, [], false) }
            let flight = state.flights.remove(at: index)
            if failure != nil { state.isBehind = true } else { state.storedEnd = flight.draft.commit.end }
            // After a failure nobody knows what else was stored: what is shown next is what is read then.
            guard state.isBehind else { return (flight, state.publish(flight.draft), false) }
            return (flight, [], state.flights.isEmpty && !state.polls.isEmpty)
        }
        tell(told)
        flight?.settlement.settle(failure)
        // Whoever waits is told of what was stored all the same, without anybody else asking. Where the store is away,
        // the next to ask finds out.
        if isToRead { Task { try? await makeViews(at: []) } }
    }

    /// Returns when nothing is on its way any more; only the holder of the turn can wait for that.
    func settleFlights() async {
        while let flight = state.withLock({ $0.flights.last }) { _ = await flight.settlement.outcome() }
    }
}

extension Session.State {
    /// Shows a step that is stored.
    fileprivate mutating func publish(_ draft: Draft) -> [WaitingPolls.Told] {
        if draft.commit.outcome != nil { keys += 1 }
        return publish { draft.apply(to: &$0) }
    }

    /// Changes what is shown, and takes out whoever waited for it.
    mutating func publish(_ change: (inout ChangeFeed) -> Void) -> [WaitingPolls.Told] {
        change(&feed)
        // Mostly nobody waits, and this is called for every action.
        guard !polls.isEmpty else { return [] }
        let feed = feed
        return polls.removeAll { query in
            if let refusal = feed.refusal(of: query) { return .unreadable(refusal) }
            return feed.answer(to: query).map { .changed($0) }
        }
    }
}
