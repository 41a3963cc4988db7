import ViewModels

// What is on its way to the store, and what is shown when it is there.

extension SessionCore {
    /// The session as it will be when all that was submitted is stored.
    var latest: ChangeFeed {
        mutating get {
            if pending.isEmpty { return feed }
            if let ahead { return ahead }
            var feed = feed
            for next in pending { next.apply(to: &feed) }
            ahead = feed
            return feed
        }
    }

    /// Where the next commit that changes what is shown leads to.
    var nextHead: SessionHead {
        mutating get { latest.head.advanced(in: incarnation) }
    }

    /// Changes what is shown beside all commits: what cannot be shown.
    mutating func changeFeeds(_ change: (inout ChangeFeed) -> Void) {
        change(&feed)
        changeAhead(change)
    }

    mutating func changeAhead(_ change: (inout ChangeFeed) -> Void) {
        guard var next = ahead else { return }
        // Let go of first, so that it is changed in place.
        ahead = nil
        change(&next)
        ahead = next
    }

    /// Submits what changed, and perhaps the outcome of a key, as one commit, for those who are answered once it is stored.
    mutating func submit(
        _ changes: consuming ChangedViews, _ outcome: RememberedOutcome? = nil, for reply: consuming PendingReply
    ) {
        let latest = latest
        let language = changes.untouched?.language ?? latest.language
        let digests = (changes.untouched ?? latest.untouched).initialDigests.remembering(
            latest.initialDigests, but: latest.withheld(after: changes))
        let commit = Commit(
            id: id, base: latest.head.version, head: changes.head, language: language, end: end,
            initialDigests: digests == latest.initialDigests ? nil : digests,
            viewModels: changes.views.map(\.view.record), outcome: outcome)
        // Let go of, so that it is changed in place.
        _ = consume latest
        lastPending += 1
        let next = PendingCommit(
            number: lastPending, commit: commit, incarnation: incarnation, views: changes.views,
            untouched: changes.untouched, replies: [reply])
        // `latest` makes the first on demand: mostly it is stored before another action needs it.
        if pending.isEmpty { ahead = nil } else { changeAhead { next.apply(to: &$0) } }
        pending.append(next)
        orders.append(.submit(commit, number: lastPending))
    }

    /// Answers an ask once all pending commits are stored, since the answer was made from their result.
    mutating func answerAfterCommits(_ ask: Ask, _ answer: PendingReply.Answer) {
        guard !pending.isEmpty else { return complete(PendingReply(ask: ask, answer: answer)) }
        answerAfterCommit(at: pending.count - 1, ask, answer)
    }

    /// Answers an ask with what is known, once that is found to be the latest.
    ///
    /// - Parameter acted: what it came to, where it has run: it is run again where that was not the latest.
    mutating func answerLatest(_ ask: Ask, _ answer: PendingReply.Answer, ran acted: Acted? = nil) {
        guard isFresh(for: ask) else { return reload(for: ask, ran: acted) }
        answerAfterCommits(ask, answer)
    }

    /// Answers an ask once one pending commit is stored.
    mutating func answerAfterCommit(at index: Int, _ ask: Ask, _ answer: PendingReply.Answer) {
        pending[index].replies.append(PendingReply(ask: ask, answer: answer))
    }

    /// The store has said what became of a commit: nil, where it is stored.
    mutating func commitDone(_ number: UInt64, _ failure: StoreFailure?) {
        // Else a later commit of this session was reported stored first, which implies this one.
        guard let index = pending.indices.first(where: { pending[$0].number == number }) else { return }
        if let failure {
            isBehind = true
            looksInPeace = 0
            for reply in pending.remove(at: index).replies { notStored(reply, failure) }
        } else {
            for _ in 0...index {
                let stored = pending.removeFirst()
                // After a failure nobody knows what else was stored: what is shown next is what is read then.
                if !isBehind { publish(stored) }
                for reply in stored.replies { complete(reply) }
            }
        }
        if pending.isEmpty {
            ahead = nil
            if case .waitingForCommits(let ask, let ran) = turn { reload(for: ask, ran: ran) }
        }
        goOnForWaits()
    }

    /// Gives the turn to whoever is next, and has the session read where nobody is who would have that done, somebody waits to
    /// be told, and what is stored is not known: a commit failed that may have been stored after all, or another replica made
    /// one.
    ///
    /// Last, since some in line leave it without a look at the store, as a change from inside that waits for the lease. Read,
    /// and no more: where something was to be derived and could not be stored, the next request does it. If the store is
    /// away, that reads again, too.
    mutating func goOnForWaits() {
        goOn()
        guard isBehind, !waits.isEmpty, case .free = turn, pending.isEmpty else { return }
        ask(.reload(Asker()))
    }

    /// Shows what was stored, and answers who waited for it.
    mutating func publish(_ stored: PendingCommit) {
        (storedEnd, storedIn) = (stored.commit.end, stored.incarnation)
        if let outcome = stored.commit.outcome {
            keys += 1
            keyBytes += outcome.body.count
        }
        stored.apply(to: &feed)
        answerWaits()
    }

    mutating func complete(_ reply: consuming PendingReply) {
        switch (reply.ask.kind, reply.answer) {
        case (.act(let action), .performed(let result)): orders.append(.answer(action, result))
        case (_, .derived):
            underived = .nothing
            line.append(reply.ask)
            answerWaits()
        default: answer(reply.ask, .success(()))
        }
    }

    mutating func notStored(_ reply: PendingReply, _ failure: StoreFailure) {
        switch failure {
        case .conflict, .gone:
            guard case .change = reply.ask.kind else { return again(reply.ask) }
            // It is made anew from what is stored then, and begins to change itself anew.
            answer(reply.ask, .failure(CancellationError()))
            standInLine(.reload(Asker()))
        case .notSent, .unknown, .unreadable:
            answer(reply.ask, .failure(SessionFailure(writing: failure)))
            if reply.ask.isChange { leaveChangesToOthers() }
        }
    }

    /// Ends the waits that what is shown now answers.
    mutating func answerWaits() {
        // Mostly nobody waits, and this is called for every action.
        guard !waits.isEmpty else { return }
        let (feed, isDerived) = (feed, isDerived)
        let ended = waits.removeAll { query in
            if let failure = feed.failure(of: query) { return .failed(failure) }
            return isDerived ? feed.answer(to: query).map { .changed($0) } : nil
        }
        if !ended.isEmpty { orders.append(.endWaits(ended)) }
        if !isDerived { standInLine(.show(Asker())) }
    }
}

/// A commit on its way to the store: submitted, not yet stored, and not yet shown.
struct PendingCommit: Sendable {
    let number: UInt64
    let commit: Commit
    /// The store's incarnation when it was submitted.
    let incarnation: UInt64
    /// The new views, by place in the catalogue.
    let views: [(place: Int, view: View)]
    /// What nobody has touched shows from then on, where it changes the session's language.
    let untouched: Untouched?
    /// What is answered once it is stored: to who asked for it, and to who was answered from its result.
    var replies: [PendingReply] = []

    /// Shows it in a feed.
    func apply(to feed: inout ChangeFeed) {
        if let untouched { feed.changeLanguage(to: untouched) }
        for (place, view) in views { feed.show(view, at: place) }
        feed.advance(to: commit.head, knowing: commit.initialDigests)
    }
}

/// An ask that is answered once a commit is stored; where the session stands elsewhere or is gone, it is begun again, a change
/// from inside excepted.
struct PendingReply: Sendable {
    enum Answer: Sendable {
        case performed(Result<ActionResult, any Error>)
        case done
        /// What was stored is derived: it goes on.
        case derived
    }

    let ask: Ask
    let answer: Answer
}
