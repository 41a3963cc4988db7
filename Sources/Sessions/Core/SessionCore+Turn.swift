import ViewModels

// Whose turn it is.

extension SessionCore {
    /// Somebody needs the turn.
    ///
    /// - Parameter isAhead: whether before all that wait; whoever has the turn keeps it.
    mutating func ask(_ kind: Ask.Kind, ahead isAhead: Bool = false) {
        if case .free = turn, line.isEmpty {
            arrivals += 1
            var ask = Ask(kind, arrival: arrivals)
            // Should it have to be begun again.
            ask.isAhead = isAhead
            begin(ask)
        } else {
            standInLine(kind, ahead: isAhead)
        }
        goOn()
    }

    /// The same in the middle of an event, at whose end the turn is given on.
    mutating func standInLine(_ kind: Ask.Kind, ahead isAhead: Bool = false) {
        arrivals += 1
        var ask = Ask(kind, arrival: arrivals)
        ask.isAhead = isAhead
        line.add(ask)
    }

    /// How many actions wait, for the turn or to be stored.
    var waitingActions: Int { line.actions + pending.count }

    /// Whoever asked for an action has gone: nothing was begun, where it still stands in line.
    mutating func hungUp(_ action: ActionCall) {
        let isOut = line.remove { ask in
            if case .act(let other) = ask.kind { return other === action && ask.begun == nil }
            return false
        }
        if isOut { orders.append(.answer(action, .failure(CancellationError()))) }
    }

    /// Gives the turn to whoever is next.
    mutating func goOn() {
        while case .free = turn, let ask = line.next() { begin(ask) }
    }

    /// Goes on with an ask that has the turn, from the beginning: it may have become another state since.
    mutating func begin(_ ask: Ask) {
        turn = .free
        do {
            try check()
        } catch {
            // By now others may have begun it anew, or it was put back: whoever came since is to find it again.
            if phase == .ended, isShared, ask.arrival > lastAsk { return answer(ask, .failure(SessionFailure.evicted)) }
            // One that is over already has ended; one that was evicted has not.
            if case .end = ask.kind, phase == .ended { return answer(ask, .success(())) }
            return answer(ask, .failure(error))
        }
        if ask.isDiscarded { return answer(ask, .failure(CancellationError())) }
        if ask.isChange, isShared, lease != .held { return waitForLease(ask) }
        if ask.isToPause { return pause(ask) }
        guard isFresh(for: ask) || mayGoAhead(ask) else { return reload(for: ask) }
        if isToRevive, ask.standsOnDerived { revive() }
        // What could not be encoded may be by now: others may have set a variable of it.
        var ask = ask
        var part = underived
        if case .show = ask.kind, isDerived, !ask.hasLookedAgain, feed.hasUnshowable {
            ask.hasLookedAgain = true
            part = .whatIsMissing
        }
        if part != .nothing && ask.standsOnDerived {
            turn = .running(ask)
            return orders.append(.derive(part, on: latest, to: nextHead))
        }
        switch ask.kind {
        case .act(let action): return act(action, ask)
        case .change(let change): orders.append(.change(change, on: latest, to: nextHead))
        case .show, .reload, .derive: return answer(ask, .success(()))
        case .changeLanguage(let language, _):
            let latest = latest
            guard language != latest.language else { return answerLatest(ask, .done) }
            orders.append(.changeLanguage(language, on: latest, to: nextHead))
        case .end:
            guard pending.isEmpty else { return reload(for: ask) }
            turn = .ending(ask, covers: arrivals)
            return orders.append(.delete(feed.head.version))
        }
        turn = .running(ask)
    }

    /// Has those made anew that were thrown away.
    mutating func revive() {
        isToRevive = false
        // Else they are made of what is read.
        guard phase == .live, !isBehind else { return }
        orders.append(.revive(from: latest))
    }

    /// View models that are needed for what has the turn could not be made: it took too long, or there was no thread for it.
    ///
    /// - Parameter hangs: whether it is told of when what takes so long has returned.
    mutating func notMade(hangs: Bool) {
        notRevived(hangs: hangs)
        guard let ask = endRun() else { return }
        // Waits are not read for: that would be tried, and fail, without pause.
        conclude(.notBegun(SessionFailure.notMade), for: ask)
        goOn()
    }

    /// Those that were thrown away could not be made anew.
    mutating func notRevived(hangs: Bool) {
        isToRevive = true
        // Where there was no thread, nothing comes back that would tell of it.
        if !hangs { tryAgainSoon() }
    }

    mutating func tryAgainSoon() {
        guard !isToBeTriedAgain else { return }
        isToBeTriedAgain = true
        orders.append(.tryAgain)
    }

    /// The making that was given up has returned, there may be a thread by now, or the store may answer: it is tried again, for
    /// those who wait, too.
    mutating func tryAgain() {
        isToBeTriedAgain = false
        guard phase == .live else { return }
        if isToRevive { ask(.derive(Asker())) }
        if isToLookAgain, isAwaited { ask(.reload(Asker())) }
        isToLookAgain = false
    }

    /// The live view models have done what they were asked.
    ///
    /// - Returns: what it was done for.
    mutating func endRun() -> Ask? {
        guard case .running(let ask) = turn else { return nil }
        turn = .free
        if phase != .live { orders.append(.clear) }
        return ask
    }

    /// Begins an ask once more, behind those in line unless it goes before them: others moved the session on.
    mutating func again(_ ask: Ask) {
        guard ask.repeats < limits.replays else { return answer(ask, .failure(SessionFailure.unavailable(.conflicts))) }
        var ask = ask
        ask.repeats += 1
        // Once it may have been chance.
        ask.isToPause = isShared && ask.repeats > 1
        // Another replica may have done it.
        ask.isLookedUp = false
        ask.hasLookedAgain = false
        // All runs together count against the deadline.
        if ask.seconds > limits.actionTime.components.seconds, ask.failure == nil {
            ask.failure = SessionFailure.timedOut
        }
        line.add(ask)
    }

    /// Answers an ask here and now.
    mutating func answer(_ ask: Ask, _ result: Result<Void, any Error>) {
        switch ask.kind {
        case .act(let action):
            orders.append(.answer(action, result.flatMap { .failure(SessionFailure.unavailable(.notRead)) }))
        case .change(let change): orders.append(.resolve(change.asker, result))
        case .show(let asker), .reload(let asker), .derive(let asker), .changeLanguage(_, let asker), .end(let asker):
            orders.append(.resolve(asker, result))
        }
    }

    /// How many looks in a row have to find what was known before one is left out.
    private static let peace = 3

    /// Whether an ask is run without a look at the store, which will refuse the commit where others moved the session on.
    private func mayGoAhead(_ ask: Ask) -> Bool {
        looksInPeace >= Self.peace && !isBehind && ask.mayGoAhead(in: feed.catalogue)
    }

    private mutating func pause(_ ask: Ask) {
        var ask = ask
        ask.isToPause = false
        turn = .pausing(ask)
        orders.append(.pause(repeats: ask.repeats))
    }

    /// The moment is over for which an ask was to pause.
    mutating func rested() {
        guard case .pausing(let ask) = turn else { return }
        begin(ask)
        goOn()
    }

    func isFresh(for ask: Ask) -> Bool { !isBehind && wasLooked(for: ask) }

    /// Whether the store was looked at after an ask came, where that has to be.
    func wasLooked(for ask: Ask) -> Bool { !ask.needsReload(isShared: isShared) || reloadedFor >= ask.arrival }
}

/// Who waits for the turn: a queue whose head moves along instead of the rest.
struct AskLine: Sendable {
    private var waiting: [Ask?] = []
    private var first = 0
    private(set) var count = 0
    /// How many of them are actions.
    private(set) var actions = 0

    var isEmpty: Bool { count == 0 }
    /// How many places are kept, those of whom have gone among them.
    var storage: Int { waiting.count }

    mutating func append(_ ask: Ask) {
        waiting.append(ask)
        count += 1
        actions += ask.isAction ? 1 : 0
    }

    /// Lets an ask wait behind the others, or before them.
    mutating func add(_ ask: Ask) {
        guard ask.isAhead else { return append(ask) }
        if first > 0 { first -= 1 } else { waiting.insert(nil, at: 0) }
        waiting[first] = ask
        count += 1
        actions += ask.isAction ? 1 : 0
    }

    /// Whoever is next, who then is in line no more.
    mutating func next() -> Ask? {
        while first < waiting.count {
            let ask = waiting[first].take()
            first += 1
            if let ask {
                count -= 1
                actions -= ask.isAction ? 1 : 0
                tidy()
                return ask
            }
        }
        tidy()
        return nil
    }

    /// Removes the first ask that matches.
    ///
    /// - Returns: whether there was one.
    mutating func remove(where isMeant: (Ask) -> Bool) -> Bool {
        guard let index = waiting.indices.first(where: { waiting[$0].map(isMeant) ?? false }) else { return false }
        leave(at: index)
        // Asks behind a slow one may be cancelled: close the gaps here.
        if waiting.count > 2 * count + 16 {
            waiting = waiting[first...].filter { $0 != nil }
            first = 0
        }
        return true
    }

    /// Removes all asks that match.
    ///
    /// - Returns: these, in the order in which they came.
    mutating func removeAll(where isMeant: (Ask) -> Bool) -> [Ask] {
        waiting.indices.compactMap { index in
            guard let ask = waiting[index], isMeant(ask) else { return nil }
            leave(at: index)
            return ask
        }
    }

    private mutating func leave(at index: Int) {
        actions -= waiting[index]?.isAction == true ? 1 : 0
        waiting[index] = nil
        count -= 1
    }

    /// Forgets those who have gone once they are the greater part: a line that never empties must not grow for ever.
    private mutating func tidy() {
        if count == 0 {
            waiting.removeAll(keepingCapacity: waiting.capacity <= 16)
            first = 0
        } else if first >= 16, first * 2 >= waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
    }
}
