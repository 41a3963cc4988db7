import ViewModels

// How the session is loaded from the store, and derived.

extension SessionCore {
    /// Reads the session, or goes on to its end, once nothing is on its way any more.
    ///
    /// - Parameter acted: what the ask has come to, where it has run already: that holds where nothing else was stored.
    mutating func reload(for ask: Ask, ran acted: Acted? = nil) {
        var ask = ask
        // What was looked up before may have been stored since.
        ask.isLookedUp = false
        guard pending.isEmpty else { return turn = .waitingForCommits(ask, ran: acted) }
        if case .end = ask.kind, isFresh(for: ask) { return begin(ask) }
        turn = .loading(ask, covers: arrivals, ran: acted)
        loadedIn = incarnation
        // Where a commit failed, the whole of it: it is to be made anew, even from what was known.
        orders.append(.load(unless: isBehind || ask.countsKeys ? nil : feed.head.version))
    }

    /// The store tells that somebody made a commit; nil, that the session has ended.
    mutating func moved(to version: CommitVersion?) {
        let isOurs = version == feed.head.version || pending.contains { $0.commit.head.version == version }
        guard phase == .live, !isOurs, isWatched else { return }
        looksInPeace = 0
        ask(.reload(Asker()))
    }

    /// The store has said how the session stands.
    mutating func loaded(_ result: Result<LoadedSession, StoreFailure>) {
        guard case .loading(let ask, let covers, let ran) = turn else { return }
        turn = .free
        switch result {
        case .failure(let failure): couldNotLoad(for: ask, covers, failure)
        case .success(.gone):
            markEnded(for: covers)
            answer(ask, .failure(SessionFailure.ended))
        case .success(.asKnown):
            reloadedFor = covers
            looksInPeace += 1
            if let ran { submitOrAnswer(ran, for: ask) } else { begin(ask) }
        case .success(.moved(let record)):
            reloadedFor = covers
            looksInPeace = 0
            take(record, for: ask)
        }
        goOn()
    }

    /// Tells all who came before the store was asked, and would have it asked again, why it was of no use.
    private mutating func couldNotLoad(for ask: Ask, _ covers: UInt64, _ failure: StoreFailure) {
        var line = self.line
        let others = line.removeAll { $0.arrival <= covers && !isFresh(for: $0) }
        self.line = line
        for ask in [ask] + others {
            answer(ask, .failure(SessionFailure(reading: failure)))
            if ask.isChange { leaveChangesToOthers() }
        }
        // Who waits asks no more: what was told, or had failed, is not told again.
        if phase == .live, isAwaited, isShared || isBehind {
            isToLookAgain = true
            tryAgainSoon()
        }
    }

    mutating func take(_ record: SessionRecord, for ask: Ask) {
        var record = record
        record.head = record.head.read(after: feed.head)
        (keys, keyBytes) = (record.keys, record.keyBytes)
        (storedEnd, storedIn) = (record.end, loadedIn)
        guard record.head.version == feed.head.version else {
            turn = .running(ask)
            orders.append(.read(record, after: feed, isBehind: isBehind))
            // Until there is a feed of it, which may not come about.
            return isBehind = true
        }
        // The live view models stand on what was not stored.
        if isBehind { orders += [.clear, .revive(from: feed)] }
        isBehind = false
        begin(ask)
    }

    /// What was read, as a feed; the live view models are those of it.
    mutating func read(_ feed: ChangeFeed) {
        guard let ask = endRun() else { return }
        isBehind = false
        // Written by another build, or before this build derived its outputs: shown once those are derived and stored. So is
        // what others began anew, or the store had when it was put back.
        let known = self.feed
        let isOfAnother = feed.initialDigests != known.initialDigests || feed.head.history != known.head.history
        // It does not come after what was shown: the store was put back, perhaps to what an earlier build had stored.
        let isElsewhere = feed.head.history.doubt(of: known.cursor, latest: feed.head.seq) != nil
        // Whoever changed the language could not derive in it what another build alone has, or derived it as an earlier one.
        let hasChangedLanguage = feed.language != known.language
        if !isShared && isOfAnother || isElsewhere || hasChangedLanguage || feed.head.history.isInterrupted {
            underived = .everything
        } else if isDerived, isOfAnother || feed.lacksOutputs {
            underived = .whatIsMissing
        }
        self.feed = feed
        answerWaits()
        begin(ask)
        goOn()
    }

    /// What was stored was derived by this build, or in another language.
    mutating func derived(_ derived: Derived) {
        guard let ask = endRun() else { return }
        for (place, failure) in derived.failures { changeFeeds { $0.withhold(place, because: failure) } }
        if isBehind {
            again(ask)
        } else if let changes = derived.changes {
            let answer: PendingReply.Answer = changes.untouched == nil ? .derived : .done
            submit(inEpoch(changes), for: PendingReply(ask: ask, answer: answer))
        } else {
            answerAfterCommits(ask, .derived)
        }
        goOn()
    }
}
