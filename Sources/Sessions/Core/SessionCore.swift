import ViewModels

/// A session as a value: what it shows, who waits for it, what is on its way to the store, and whose turn it is.
///
/// It takes events, which are its mutating methods, and leaves orders for its driver, ``Session``, which has the lock, the
/// live view models, the store and the clock. Whatever comes of an order comes back as an event.
///
/// One ask at a time has the turn, in the order in which they came:
///
///     free ── ask ──► fresh? ── yes ──► on stage ── acted, made, derived ──► free, perhaps with a step on its way
///                       │ no               ▲
///                       ▼                  │ read
///     settling: until no step is on its way
///                       │                  │
///                       ▼                  │
///                    loading ── moved on ──┘
///                       └────── gone ──► ended
///
/// The turn is free again as soon as a step is submitted: the next action stands on it before it is stored. Whoever is
/// answered out of what is not stored yet follows the step, and is told when it is stored; where it is not, he asks again.
struct SessionCore: Sendable {
    /// How a session is.
    enum Phase: Sendable {
        case live
        /// It is gone for good.
        case ended
        /// It is in the store alone; whoever still has this instance has to find it again.
        case putAway
    }

    /// Who has the turn, and what for.
    enum Turn: Sendable {
        case free
        /// Until no step is on its way: what was submitted may still be stored, or not.
        case settling(Ask)
        /// Until the store has said how the session stands; `covers` is the latest ask that this look is new enough for.
        case loading(Ask, covers: UInt64)
        /// The live view models are at work.
        case onStage(Ask)
        /// Until the store has said what became of an action that came before under the same key.
        case lookingUp(Ask)
        /// Until the store has deleted the session.
        case ending(Ask)
    }

    let id: SessionID
    let language: Language
    let limits: SessionLimits
    /// What untouched view models are in this build.
    let untouched: Untouched
    /// Whether others may move the session on: then the store is looked at before each answer that speaks of state.
    let isShared: Bool
    /// Whether the store tells of what others do.
    private(set) var isWatched = false
    /// The store's (``SessionStore/incarnation``), as it is now.
    var incarnation: UInt64
    /// The time of day.
    var time: SessionEnd

    /// What is shown: what is committed, and what was stored from the beginning.
    private(set) var feed: ChangeFeed
    var polls = WaitingPolls()
    var phase = Phase.live
    /// Whether what is shown is what this build derives from what was stored.
    var isDerived: Bool
    /// How many idempotency keys the store has of the session: some may have ended since.
    private(set) var keys: Int
    /// When they were found to be as many as there may be.
    var keysCounted: SessionEnd?
    /// When the session ends by what the store knows; nil for never.
    var storedEnd: SessionEnd? { didSet { storedIn = incarnation } }
    /// The incarnation of the store that knows it.
    private(set) var storedIn: UInt64

    /// Steps on their way to the store, in the order in which they were submitted.
    private(set) var steps: [Step] = []
    /// The feed as it will be when all of them are stored; nil where it is to be made anew.
    private var ahead: ChangeFeed?
    private var lastStep: UInt64 = 0
    /// Whether the store may be ahead of the feed: a step failed, and may have been stored for all we know.
    var isBehind = false

    var turn = Turn.free
    private var line = AskLine()
    private var arrivals: UInt64 = 0
    /// The latest ask for which the store was looked at.
    private var lookedFor: UInt64 = 0

    /// Event streams that are open, waiting or not.
    var openStreams = 0
    var lastUse: Duration
    var actionLimit = ActionLimit()

    /// What is to be done, in this order.
    var orders: [Order] = []

    init(
        id: SessionID, record: SessionRecord, catalogue: Catalogue, limits: SessionLimits, untouched: Untouched,
        isShared: Bool, incarnation: UInt64, time: SessionEnd, at now: Duration
    ) {
        self.id = id
        self.limits = limits
        self.untouched = untouched
        self.isShared = isShared
        self.incarnation = incarnation
        language = record.language
        var record = record
        // The one array of all sessions, mostly.
        if record.beginnings == untouched.beginnings { record.beginnings = untouched.beginnings }
        feed = ChangeFeed(catalogue: catalogue, record: record)
        keys = record.keys
        isDerived =
            record.viewModels.isEmpty && record.beginnings == untouched.beginnings && untouched.restless.isEmpty
        storedEnd = record.end
        storedIn = incarnation
        self.time = time
        lastUse = now
    }

    /// When the session ends if nobody uses it from now on; nil for never.
    var end: SessionEnd? { id == .public ? nil : time.advanced(by: limits.timeToLive) }

    /// Throws where the session is no longer to be asked.
    func check() throws {
        switch phase {
        case .live: break
        case .ended: throw SessionFailure.ended
        case .putAway: throw SessionFailure.putAway
        }
    }

    /// How long nobody has used it; zero while somebody waits for it.
    func idleTime(at now: Duration) -> Duration {
        if case .onStage = turn { return .zero }
        return polls.isEmpty && openStreams == 0 && steps.isEmpty ? now - lastUse : .zero
    }
}

// MARK: - The turn

extension SessionCore {
    /// Somebody needs the turn.
    mutating func ask(_ kind: Ask.Kind) {
        standInLine(kind)
        goOn()
    }

    /// The same in the middle of an event, at whose end the turn is given on.
    private mutating func standInLine(_ kind: Ask.Kind) {
        arrivals += 1
        line.append(Ask(kind, arrival: arrivals))
    }

    /// How many wait for the turn.
    var waitingAsks: Int { line.count }

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
            // One that is over already has ended; one that was put away has not.
            if case .end = ask.kind, phase == .ended { return answer(ask, .success(())) }
            return answer(ask, .failure(error))
        }
        // One that was thrown away has nothing to wait for.
        if case .change(let change) = ask.kind, change.mark.isDiscarded {
            return answer(ask, .failure(CancellationError()))
        }
        guard isFresh(for: ask) else { return settle(for: ask) }
        if !isDerived && ask.standsOnDerived {
            turn = .onStage(ask)
            return orders.append(.derive(on: latest, to: nextHead))
        }
        switch ask.kind {
        case .act(let action): return act(action, ask)
        case .change(let change): orders.append(.change(change, on: latest, to: nextHead))
        case .show(let places, _):
            let missing = places.filter { latest.view(at: $0) == nil }
            if missing.isEmpty { return answer(ask, .success(())) }
            orders.append(.make(missing, on: latest))
        case .look, .derive: return answer(ask, .success(()))
        case .end:
            guard steps.isEmpty else { return settle(for: ask) }
            turn = .ending(ask)
            return orders.append(.delete(feed.head.version))
        }
        turn = .onStage(ask)
    }

    /// The live view models have done what they were asked.
    ///
    /// - Returns: what it was done for.
    mutating func leaveStage() -> Ask? {
        guard case .onStage(let ask) = turn else { return nil }
        turn = .free
        if phase != .live { orders.append(.clear(revivingFrom: nil)) }
        return ask
    }

    /// Begins an ask once more, behind those in line: others moved the session on.
    mutating func again(_ ask: Ask) {
        guard ask.repeats < limits.replays else { return answer(ask, .failure(SessionFailure.unavailable)) }
        var ask = ask
        ask.repeats += 1
        // Another replica may have done it.
        ask.isLookedUp = false
        // One run after the other is as long as one long run.
        if ask.seconds > limits.actionTime.components.seconds, ask.failure == nil {
            ask.failure = SessionFailure.timedOut
        }
        line.append(ask)
    }

    /// Answers an ask here and now.
    mutating func answer(_ ask: Ask, _ result: Result<Void, any Error>) {
        switch ask.kind {
        case .act(let action): orders.append(.answer(action, result.flatMap { .failure(SessionFailure.unavailable) }))
        case .change(let change): orders.append(.keep(change.promise, result))
        case .show(_, let promise), .look(let promise), .derive(let promise), .end(let promise):
            orders.append(.keep(promise, result))
        }
    }

    private func isFresh(for ask: Ask) -> Bool {
        if isBehind { return false }
        return ask.needsLook(isShared: isShared) ? lookedFor >= ask.arrival : true
    }
}

// MARK: - What is on its way

extension SessionCore {
    /// The session as it will be when all that was submitted is stored.
    var latest: ChangeFeed {
        mutating get {
            if steps.isEmpty { return feed }
            if let ahead { return ahead }
            var feed = feed
            for step in steps { step.apply(to: &feed) }
            ahead = feed
            return feed
        }
    }

    /// Where the next step that changes what is shown leads to.
    var nextHead: SessionHead {
        mutating get { latest.head.advanced(in: incarnation) }
    }

    /// Changes what is shown beside all steps: what nobody has touched, and what cannot be read.
    mutating func changeFeeds(_ change: (inout ChangeFeed) -> Void) {
        change(&feed)
        changeAhead(change)
    }

    private mutating func changeAhead(_ change: (inout ChangeFeed) -> Void) {
        guard var next = ahead else { return }
        // Let go of first, so that it is changed in place.
        ahead = nil
        change(&next)
        ahead = next
    }

    /// Submits a step, for those who are answered once it is stored.
    mutating func submit(_ commit: Commit, views: [(place: Int, view: View)] = [], for follower: Follower) {
        lastStep += 1
        let step = Step(number: lastStep, commit: commit, views: views, followers: [follower])
        // Else it is made when somebody asks for it, which mostly nobody does before the step is stored.
        if steps.isEmpty { ahead = nil } else { changeAhead { step.apply(to: &$0) } }
        steps.append(step)
        orders.append(.submit(commit, number: lastStep))
    }

    /// Answers once all that was submitted is stored, out of which the answer was made.
    mutating func answer(_ ask: Ask, _ answer: Follower.Answer) {
        guard !steps.isEmpty else { return tell(Follower(ask: ask, answer: answer)) }
        steps[steps.count - 1].followers.append(Follower(ask: ask, answer: answer))
    }

    /// Answers once the step is stored that remembers a key.
    mutating func answer(_ ask: Ask, _ answer: Follower.Answer, afterStepAt index: Int) {
        steps[index].followers.append(Follower(ask: ask, answer: answer))
    }

    /// The store has said what became of a step: nil, where it is stored.
    mutating func settled(_ number: UInt64, _ failure: StoreFailure?) {
        // One that others stand on that are stored was taken as stored with them.
        guard let index = steps.firstIndex(where: { $0.number == number }) else { return }
        if let failure {
            isBehind = true
            for follower in steps.remove(at: index).followers { self.failed(follower, failure) }
        } else {
            let stored = steps[...index]
            steps.removeFirst(index + 1)
            // After a failure nobody knows what else was stored: what is shown next is what is read then.
            for step in stored where !isBehind { show(step) }
            for step in stored { step.followers.forEach { tell($0) } }
        }
        if steps.isEmpty {
            ahead = nil
            allSettled()
        }
        goOn()
    }

    private mutating func allSettled() {
        if case .settling(let ask) = turn { return settle(for: ask) }
        // Whoever waits is told of what was stored all the same, without anybody else asking. Where the store is away,
        // the next to ask finds out.
        if isBehind, !polls.isEmpty, case .free = turn, line.isEmpty { standInLine(.show([], Promise())) }
    }

    private mutating func show(_ step: Step) {
        storedEnd = step.commit.end
        if step.commit.outcome != nil { keys += 1 }
        publish { step.apply(to: &$0) }
    }

    private mutating func tell(_ follower: Follower) {
        switch (follower.ask.kind, follower.answer) {
        case (.act(let action), .performed(let result)): orders.append(.answer(action, result))
        case (_, .derived):
            isDerived = true
            line.append(follower.ask)
            tellPolls()
        default: answer(follower.ask, .success(()))
        }
    }

    private mutating func failed(_ follower: Follower, _ failure: StoreFailure) {
        switch failure {
        case .conflict, .gone:
            // It is made anew from what is stored then, and begins to change itself anew.
            if case .change = follower.ask.kind { return answer(follower.ask, .failure(CancellationError())) }
            again(follower.ask)
        case .notSent, .unknown, .unreadable: answer(follower.ask, .failure(SessionFailure.unavailable))
        }
    }

    /// Changes what is shown, and tells whoever waited for it.
    mutating func publish(_ change: (inout ChangeFeed) -> Void) {
        change(&feed)
        tellPolls()
    }

    /// Tells those who wait for what is shown now.
    mutating func tellPolls() {
        // Mostly nobody waits, and this is called for every action.
        guard !polls.isEmpty else { return }
        let (feed, isDerived) = (feed, isDerived)
        var missing: Set<Int> = []
        let told = polls.removeAll { query in
            if let refusal = feed.refusal(of: query) { return .unreadable(refusal) }
            missing.formUnion(feed.missing(for: query))
            return isDerived ? feed.wholeAnswer(to: query).map { .changed($0) } : nil
        }
        if !told.isEmpty { orders.append(.tell(told)) }
        if !isDerived || !missing.isEmpty { standInLine(.show(missing.sorted(), Promise())) }
    }
}

// MARK: - Reading the session

extension SessionCore {
    /// Reads the session, or deletes it, once nothing is on its way any more.
    mutating func settle(for ask: Ask) {
        var ask = ask
        // What was looked up before may have been stored since.
        ask.isLookedUp = false
        guard steps.isEmpty else { return turn = .settling(ask) }
        if case .end = ask.kind, isFresh(for: ask) { return begin(ask) }
        turn = .loading(ask, covers: arrivals)
        // Where a step failed, the whole of it: it is to be made anew, even from what was known.
        orders.append(.load(unless: isBehind || ask.countsKeys ? nil : feed.head.version))
    }

    /// The store tells that somebody made a commit; nil, that the session has ended.
    mutating func moved(to version: CommitVersion?) {
        let isOurs = version == feed.head.version || steps.contains { $0.commit.head.version == version }
        guard phase == .live, !isOurs, !polls.isEmpty else { return }
        ask(.look(Promise()))
    }

    /// Has the store watched as long as anybody waits for what others may do.
    mutating func keepWatch() {
        let isWanted = isShared && phase == .live && (openStreams > 0 || !polls.isEmpty)
        guard isWanted != isWatched else { return }
        isWatched = isWanted
        orders.append(.watch(isWanted))
        // What was done before the watch began is told of by nobody.
        if isWanted { ask(.look(Promise())) }
    }

    /// The store has said how the session stands; nil, where it is gone.
    mutating func loaded(_ result: Result<LoadedSession, StoreFailure>) {
        guard case .loading(let ask, let covers) = turn else { return }
        turn = .free
        switch result {
        case .failure: answer(ask, .failure(SessionFailure.unavailable))
        case .success(.gone):
            markEnded()
            answer(ask, .failure(SessionFailure.ended))
        case .success(.asKnown):
            lookedFor = covers
            begin(ask)
        case .success(.moved(let record)):
            lookedFor = covers
            take(record, for: ask)
        }
        goOn()
    }

    private mutating func take(_ record: SessionRecord, for ask: Ask) {
        var record = record
        record.head = record.head.read(after: feed.head)
        keys = record.keys
        storedEnd = record.end
        guard record.head.version == feed.head.version else {
            turn = .onStage(ask)
            return orders.append(.read(record, after: feed))
        }
        // The live view models stand on what was not stored.
        if isBehind { orders.append(.clear(revivingFrom: feed)) }
        isBehind = false
        begin(ask)
    }

    /// What was read, as a feed; the live view models are those of it.
    mutating func read(_ feed: ChangeFeed) {
        guard let ask = leaveStage() else { return }
        isBehind = false
        // Another build's, or from before this one derived it: it is shown once what is lacking is derived and stored.
        let isOfAnother = feed.beginnings != self.feed.beginnings
        if isOfAnother || feed.lacksOutputs || feed.head.history.isInterrupted { isDerived = false }
        publish { $0 = feed }
        begin(ask)
        goOn()
    }
}

// MARK: - The end

extension SessionCore {
    /// The store has deleted the session, or not.
    mutating func deleted(_ failure: StoreFailure?) {
        guard case .ending(let ask) = turn else { return }
        turn = .free
        switch failure {
        case nil:
            markEnded()
            answer(ask, .success(()))
        case .conflict:
            // Another replica moved it on: the end comes after that.
            isBehind = true
            again(ask)
        default: answer(ask, .failure(SessionFailure.unavailable))
        }
        goOn()
    }

    /// The store has the session no more; whoever waits for a change is told.
    mutating func markEnded() {
        guard phase != .ended else { return }
        leave(as: .ended)
        orders.append(.tell(polls.removeAll(telling: .ended)))
    }

    /// Leaves memory, if nobody has used the session for so long.
    ///
    /// - Returns: whether it did.
    mutating func putAway(ifIdleFor time: Duration, at now: Duration) -> Bool {
        guard phase == .live, case .free = turn, idleTime(at: now) >= time else { return false }
        leave(as: .putAway)
        return true
    }

    private mutating func leave(as phase: Phase) {
        self.phase = phase
        // One that acts this moment is thrown away when it is done.
        if case .onStage = turn { return }
        orders.append(.clear(revivingFrom: nil))
    }
}
