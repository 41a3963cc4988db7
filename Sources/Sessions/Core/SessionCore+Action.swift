import ViewModels

// The way of an action: looked at, run on the live view models, submitted, answered.

extension SessionCore {
    /// Somebody asks for an action.
    mutating func ask(_ action: ActionCall, at now: Duration) {
        if let bound = boundReached(at: now) { return orders.append(.answer(action, .failure(bound))) }
        ask(.act(action))
    }

    /// Somebody asks for another language, which counts as an action.
    mutating func ask(toChangeLanguageTo language: Language, _ asker: Asker, at now: Duration) {
        if let bound = boundReached(at: now) { return orders.append(.resolve(asker, .failure(bound))) }
        ask(.changeLanguage(language, asker))
    }

    /// Which bound keeps another action from the line; nil for none.
    private mutating func boundReached(at now: Duration) -> SessionFailure? {
        if let rate = limits.actionsPerSecond, let seconds = actionLimit.take(at: now, perSecond: rate) {
            return .tooManyActions(retryAfter: seconds)
        }
        // With those that have run and wait for a slow store.
        return waitingActions < limits.waitingActions ? nil : .lineFull
    }

    /// Looks whether an action is to run, and has it run.
    mutating func act(_ action: ActionCall, _ ask: Ask) {
        if let request = action.request, !isNew(request, ask) { return }
        let latest = latest
        let view = latest.view(at: action.id.viewModel)
        // One that cannot be encoded may be after it has acted.
        if view == nil, let failure = latest.failure(at: action.id.viewModel), !(failure is OutputUnshowable) {
            return answerLatest(ask, .performed(.failure(failure)))
        }
        if let error = ask.failure { return failed(action, ask, error) }
        guard action.isWanted(view?.entityTag) else {
            return answerLatest(ask, .performed(.failure(SessionFailure.preconditionFailed)))
        }
        var ask = ask
        ask.begun = time
        ask.ranAhead = !pending.isEmpty
        turn = .running(ask)
        orders.append(.run(action, on: latest, to: nextHead))
    }

    /// An action of a view model, or a change from inside it, has run elsewhere, or was given up.
    mutating func ran(at place: Int, _ result: Result<Void, any Error>) {
        guard case .running = turn else { return }
        orders.append(.gather(place, result, on: latest, to: nextHead))
    }

    /// An action, or a change from inside, was done on the live view models, or not.
    mutating func acted(_ acted: consuming Acted) {
        guard let ask = endRun() else { return }
        let hasFailed = if case .failed = acted { true } else { false }
        conclude(acted, for: ask)
        // After the answer, which no initializer is to hold up.
        if hasFailed { revive() }
        goOnForWaits()
    }

    mutating func conclude(_ acted: consuming Acted, for ask: consuming Ask) {
        if case .unreadable(let place, let error) = acted {
            guard isFresh(for: ask) else { return reload(for: ask) }
            let failure = SessionFailure.unreadable(error)
            changeFeeds { $0.withhold(place, because: failure) }
            return answer(ask, .failure(failure))
        }
        // Nothing was run: the caller gets the error at once, whatever the session has become meanwhile. But not where it was
        // run before: what it did outside is done.
        if case .notBegun(let error) = acted { return ask.hasRun ? again(ask) : answer(ask, .failure(error)) }
        if phase == .ended { return answer(ask, .failure(SessionFailure.ended)) }
        // Only a change from inside is left at work; by now the session may be in memory anew.
        if phase == .evicted { return answer(ask, .failure(SessionFailure.evicted)) }
        ask.hasRun = true
        if let begun = ask.begun { ask.seconds += time.secondsSince1970 - begun.secondsSince1970 }
        // Whatever the session came to meanwhile, it has failed, and is not run again: but for one that went ahead on what may not
        // have been the latest, or may never be stored.
        let wasStored = wasLooked(for: ask) && (!ask.ranAhead || pending.isEmpty && !isBehind)
        if case .failed(let error) = acted, !(error is ActionRefusal), wasStored || acted.isTimeout {
            ask.failure = error
        }
        // It ran on a state that was never stored, so its result is dropped.
        if isBehind { return again(ask) }
        submitOrAnswer(acted, for: ask)
    }

    /// Submits what an action or a change from inside came to, or answers with it.
    mutating func submitOrAnswer(_ acted: consuming Acted, for ask: consuming Ask) {
        guard case .act(let action) = ask.kind else { return changed(ask, acted) }
        // The store was put back since the key was looked for: what had been deleted then may be there again.
        if let request = action.request, ask.lookedIn != incarnation, acted.isRemembered {
            ask.lookedIn = incarnation
            turn = .lookingUp(ask, prepared: acted)
            return orders.append(.lookUp(request.key))
        }
        switch consume acted {
        case .changed(let changes): done(action, ask, inEpoch(changes))
        case .failed(let error): failed(action, ask, error)
        default: unchanged(action, ask)
        }
    }

    /// What a change from inside came to.
    mutating func changed(_ ask: Ask, _ acted: Acted) {
        switch acted {
        case .changed(let changes): submit(inEpoch(changes), for: PendingReply(ask: ask, answer: .done))
        case .failed(let error): answer(ask, .failure(error))
        default: answerAfterCommits(ask, .done)
        }
    }

    mutating func done(_ action: ActionCall, _ ask: consuming Ask, _ changes: consuming ChangedViews) {
        let changed = changes.views.first { $0.place == action.id.viewModel }?.view
        // One that did not change may have been named by an epoch that this commit is the first to forget.
        let unchanged = changed == nil ? latest.view(at: action.id.viewModel)?.named(by: changes.head.history) : nil
        guard let view = changed ?? unchanged else { return again(ask) }
        let outcome = action.request.map { self.outcome(of: $0, .done(view)) }
        let performed = outcome.map { ActionResult.remembered($0, isReplay: false) } ?? .done(view)
        submit(changes, outcome, for: PendingReply(ask: ask, answer: .performed(.success(performed))))
    }

    mutating func unchanged(_ action: ActionCall, _ ask: Ask) {
        guard let view = latest.view(at: action.id.viewModel) else { return again(ask) }
        guard let request = action.request else {
            return answerLatest(ask, .performed(.success(.done(view))), ran: .unchanged)
        }
        remember(outcome(of: request, .done(view)), nil, for: ask)
    }

    /// What is to be said of an action that threw, once that is remembered under its key.
    mutating func failed(_ action: ActionCall, _ ask: Ask, _ error: any Error) {
        // One of a kind that HTTP has not is a failure like any other.
        guard let refusal = error as? ActionRefusal, refusal.kind.fault == nil else {
            guard let request = action.request else {
                return answerLatest(ask, .performed(.failure(error)), ran: .failed(error))
            }
            return remember(outcome(of: request, .failed(error)), .failure(error), for: ask)
        }
        // Nil where that cannot be encoded.
        let view = latest.view(at: action.id.viewModel)
        guard let request = action.request, !refusal.kind.isOfBody else {
            let refused = SessionFailure.refused(refusal, view: view)
            return answerLatest(ask, .performed(.failure(refused)), ran: .failed(refusal))
        }
        remember(outcome(of: request, .refused(refusal, view)), nil, for: ask)
    }

    /// Stores an outcome that changes nothing else.
    ///
    /// - Parameter result: what is said this time; nil for the outcome.
    mutating func remember(
        _ outcome: RememberedOutcome, _ result: Result<ActionResult, any Error>?, for ask: Ask
    ) {
        submit(
            ChangedViews(views: [], head: latest.head.remembering()), outcome,
            for: PendingReply(ask: ask, answer: .performed(result ?? .success(.remembered(outcome, isReplay: false)))))
    }

    /// What was changed, in the epoch of the store as it is now: where that was put back meanwhile, commits of the epoch in
    /// which it began may be lost.
    mutating func inEpoch(_ changes: consuming ChangedViews) -> ChangedViews {
        let head = changes.head
        guard head.history.incarnation != incarnation, head.seq > latest.head.seq else { return changes }
        let history = head.history.continued(at: head.seq, in: incarnation)
        return ChangedViews(
            views: changes.views.map { ($0.place, $0.view.named(by: history)) },
            head: SessionHead(version: head.version, seq: head.seq, history: history), untouched: changes.untouched)
    }
}

// An action that is to happen once: whether it has happened, and whether there is room to remember it.

extension SessionCore {
    /// What an action came to, to be remembered from now on.
    func outcome(of request: IdempotentRequest, _ result: IdempotentRequest.Result) -> RememberedOutcome {
        request.outcome(result, until: time.advanced(by: limits.idempotencyWindow(of: id)))
    }

    /// Looks whether a request came before: among the commits under way, and then in the store.
    ///
    /// What cannot be looked up, or not be remembered, is not begun.
    /// Whoever has the turn looks, so that nothing is submitted between the look and the action; and after the session was
    /// read, so that the commit conflicts where another replica does the same.
    ///
    /// - Returns: whether it never came and may be begun; else it goes another way.
    mutating func isNew(_ request: IdempotentRequest, _ ask: Ask) -> Bool {
        if let index = pending.lastIndex(where: { $0.commit.outcome?.key == request.key }),
            let outcome = pending[index].commit.outcome
        {
            // Where the first is not stored after all, the key is free.
            answerAfterCommit(at: index, ask, .performed(Self.replay(outcome, to: request)))
            return false
        }
        // Also where `keys` is 0: those that had ended when they were counted are found again where the clock was set back.
        // One that has run has its room: what it did outside is done.
        if ask.isLookedUp, ask.lookedIn == incarnation { return ask.hasRun || hasRoom(for: ask) }
        var ask = ask
        (ask.isLookedUp, ask.lookedIn) = (false, incarnation)
        turn = .lookingUp(ask)
        orders.append(.lookUp(request.key))
        return false
    }

    /// The store has said what became of an action that came before under the same key; nil for none.
    mutating func lookedUp(_ result: Result<RememberedOutcome?, StoreFailure>) {
        guard case .lookingUp(var ask, let prepared) = turn, case .act(let action) = ask.kind else { return }
        turn = .free
        // Where it is not submitted, the live view models are ahead of what is stored.
        let isToGoOn = prepared != nil && phase == .live && !isBehind
        if case .changed? = prepared { isBehind = true }
        switch result {
        case .failure(let failure): answer(ask, .failure(SessionFailure(reading: failure)))
        case .success(let outcome?):
            guard let request = action.request else { break }
            // Another replica made it: whoever is told of it is not to be shown less afterwards.
            let cursor = Cursor(outcome.entityTag.filter { $0 != "\"" })
            if let cursor, cursor.seq > feed.head.seq { isBehind = true }
            answerAfterCommits(ask, .performed(Self.replay(outcome, to: request)))
        case .success(nil):
            ask.isLookedUp = true
            if isToGoOn, let prepared {
                isBehind = false
                submitOrAnswer(prepared, for: ask)
            } else {
                begin(ask)
            }
        }
        goOnForWaits()
    }

    private static func replay(
        _ outcome: RememberedOutcome, to request: IdempotentRequest
    ) -> Result<ActionResult, any Error> {
        request.isOf(outcome)
            ? .success(.remembered(outcome, isReplay: true)) : .failure(SessionFailure.keyOfAnotherRequest)
    }

    /// Whether there is no room for another key, with those that are on their way.
    ///
    /// Bytes count too: the answer may be hundreds of times as large as the request that has it kept.
    var isFull: Bool { hasManyKeys || hasManyKeyBytes }

    private var hasManyKeys: Bool {
        keys + pending.count { $0.commit.outcome != nil } >= limits.keysPerSession
    }

    private var hasManyKeyBytes: Bool {
        pending.reduce(keyBytes) { $0 + ($1.commit.outcome?.body.count ?? 0) } >= limits.keyBytesPerSession
    }

    /// Refuses what there is no room for.
    ///
    /// Where the session has as many keys as it may, they are counted anew, since some may have ended: at most once a second,
    /// so that repeated refusals do not load the store.
    mutating func hasRoom(for ask: Ask) -> Bool {
        guard isFull else { return true }
        // However slow the store is, each asks it once.
        if keysCounted == time || ask.countsKeys {
            // By then a sixtieth is free, where they came evenly.
            let seconds = max(1, Int(limits.idempotencyWindow(of: id).components.seconds / 60))
            let failure: SessionFailure =
                hasManyKeys ? .tooManyKeys(retryAfter: seconds) : .tooManyKeyBytes(retryAfter: seconds)
            answer(ask, .failure(failure))
        } else {
            keysCounted = time
            var ask = ask
            ask.countsKeys = true
            reload(for: ask)
        }
        return false
    }
}

/// How many actions a second a session may ask for, as a token bucket that holds one second's worth.
struct ActionLimit: Sendable {
    private var tokens: Double?
    private var filled: Duration = .zero

    /// Takes a token.
    ///
    /// - Returns: nil where the action may go on, else after how many seconds it may.
    mutating func take(at now: Duration, perSecond rate: Int) -> Int? {
        let capacity = Double(rate)
        let available = min(capacity, (tokens ?? capacity) + (now - filled) / .seconds(1) * capacity)
        filled = now
        guard available >= 1 else {
            tokens = available
            return Int(((1 - available) / capacity).rounded(.up))
        }
        tokens = available - 1
        return nil
    }
}
