import Locking
import ViewModels

/// One user's view models, their notification center and their change feed.
///
/// Safe from any thread. What it shows is committed; its live view models act one turn at a time, behind a turnstile, and
/// change by themselves as long as the registry has the session in memory.
public final class Session: Sendable {
    struct State: Sendable {
        var feed: ChangeFeed
        var polls = WaitingPolls()
        var nextPoll: UInt64 = 0
        var phase = Phase.live
        /// Steps on their way to the store, in the order in which they were submitted.
        var flights: [Flight] = []
        var nextFlight: UInt64 = 0
        /// How many idempotency keys the store has of the session: some may have ended since.
        var keys: Int
        /// When they were found to be as many as there may be.
        var keysCounted: Duration?
        /// Whether what is shown is what this build derives from what was stored.
        var isDerived: Bool
        /// Event streams that are open, waiting or not.
        var openStreams = 0
        /// When the session ends by what the store knows; nil for never.
        var storedEnd: SessionEnd?
        /// Whether the store may be ahead of the feed: a commit failed, and may have been stored for all we know.
        var isBehind = false
        var lastUse: Duration
        var actionLimit = ActionLimit()

        /// Throws where the session is no longer to be asked.
        func check() throws {
            switch phase {
            case .live: break
            case .ended: throw SessionFailure.ended
            case .putAway: throw SessionFailure.putAway
            }
        }

        /// Throws also where a query cannot be answered.
        func check(_ query: FeedQuery) throws {
            try check()
            if let refusal = feed.refusal(of: query) { throw SessionFailure.unreadable(refusal) }
        }

        func idleTime(at now: Duration) -> Duration {
            polls.isEmpty && openStreams == 0 && flights.isEmpty ? now - lastUse : .zero
        }
    }

    /// How a session is.
    enum Phase: Sendable {
        case live
        /// It is gone for good.
        case ended
        /// It is in the store alone; whoever still has this instance has to find it again.
        case putAway
    }

    /// The name under which the session is kept.
    public let id: SessionID
    /// The language its view models speak.
    public let language: Language
    /// What untouched view models are in this build.
    let untouched: Untouched
    let surroundings: SessionSurroundings
    let turnstile: Turnstile<Stage>
    let state: Lock<State>

    init(id: SessionID, record: SessionRecord, surroundings: SessionSurroundings) {
        self.id = id
        self.surroundings = surroundings
        language = record.language
        untouched = surroundings.untouched(in: record.language)
        var record = record
        // The one array of all sessions, mostly.
        if record.beginnings == untouched.beginnings { record.beginnings = untouched.beginnings }
        turnstile = Turnstile(Stage(of: id, language: record.language, surroundings: surroundings))
        state = Lock(
            State(
                feed: ChangeFeed(catalogue: surroundings.catalogue, record: record), keys: record.keys,
                isDerived: record.viewModels.isEmpty && record.beginnings == untouched.beginnings
                    && untouched.restless.isEmpty, storedEnd: record.end,
                lastUse: surroundings.timer.now))
    }

    /// Where the session's feed stands.
    public var cursor: Cursor { state.withLock { $0.feed.cursor } }

    /// Whether what is shown is what this build derives from what was stored; until then nobody is to be shown it.
    var isDerived: Bool { state.withLock { $0.isDerived } }

    /// Whether it can still be asked.
    var isLive: Bool { state.withLock { $0.phase == .live } }

    /// How many polls and streams wait for a change.
    public var waitingCount: Int { state.withLock { $0.polls.count } }

    /// How long nobody has used the session; zero while somebody waits for it to change.
    func idleTime(at now: Duration) -> Duration {
        state.withLock { $0.idleTime(at: now) }
    }

    /// Notes that the session is in use.
    ///
    /// - Returns: whether it can still be asked, and whether what it shows is what this build derives.
    @discardableResult
    func use() -> (isLive: Bool, isDerived: Bool) {
        let now = surroundings.timer.now
        return state.withLock { state in
            state.lastUse = now
            return (state.phase == .live, state.isDerived)
        }
    }

    /// Ends the session, in the store too; whoever waits for a change is told.
    ///
    /// One that has ended is left alone: the store may hold another of its name by now.
    ///
    /// - Throws: ``SessionFailure/unavailable`` where the store does not answer; the session goes on.
    public func end() async throws {
        try await turnstile.withTurn { stage in
            for _ in 0...surroundings.limits.replays {
                // What is on its way is stored first: whoever acted before the end is told so.
                await settleFlights()
                let (isLive, version) = state.withLock { ($0.phase == .live, $0.feed.head.version) }
                guard isLive else { return }
                do throws(StoreFailure) {
                    try await surroundings.store.delete(id, at: version)
                } catch .conflict {
                    // Another replica moved it on: the end comes after that.
                    try await freshen(stage, evenIfCurrent: true)
                    continue
                } catch {
                    throw SessionFailure.unavailable
                }
                stage.clear()
                markEnded()
                return
            }
            throw SessionFailure.unavailable
        }
    }

    /// Notes that the store has the session no more; whoever waits for a change is told.
    func markEnded() {
        let told = state.withLock { state in
            state.phase = .ended
            return state.polls.removeAll(telling: .ended)
        }
        tell(told)
    }

    /// Keeps the session in memory for as long as an event stream is open, also while it does not wait.
    ///
    /// - Returns: false where it has left already. Where true, ``closeStream()`` has to follow.
    public func openStream() -> Bool {
        state.withLock { state in
            guard state.phase == .live else { return false }
            state.openStreams += 1
            return true
        }
    }

    /// Lets the session go that ``openStream()`` kept.
    public func closeStream() {
        use()
        state.withLock { $0.openStreams -= 1 }
    }

    /// Leaves memory if nobody has used the session for so long; the store has all of it.
    ///
    /// - Returns: whether it did.
    func putAway(ifIdleFor time: Duration) async -> Bool {
        await turnstile.withTurn { stage in
            let now = surroundings.timer.now
            let isIdle = state.withLock { state in
                guard state.phase == .live, state.idleTime(at: now) >= time else { return false }
                state.phase = .putAway
                return true
            }
            if isIdle { stage.clear() }
            return isIdle
        }
    }

    /// When the session should end by what the store is to know, where the store knows a much earlier end.
    ///
    /// Not told for every use: a twentieth of the time to live is little to be off, and much less to write. But told
    /// before the store would end it too early.
    func endToStore() -> SessionEnd? {
        guard let end = surroundings.end(of: id) else { return nil }
        let now = surroundings.timer.now
        return state.withLock { state in
            let idle = state.idleTime(at: now).components.seconds
            let due = SessionEnd(secondsSince1970: end.secondsSince1970 - idle)
            let slack = max(1, surroundings.limits.timeToLive.components.seconds / 20)
            guard state.phase == .live, let stored = state.storedEnd else { return nil }
            let today = surroundings.timeOfDay
            let isLate = stored <= today && due > today
            return isLate || due.secondsSince1970 - stored.secondsSince1970 >= slack ? due : nil
        }
    }

    /// Notes that the store knows when the session should end.
    func noteStored(_ end: SessionEnd) { state.withLock { $0.storedEnd = end } }

    /// Answers whoever waits, because the server is about to stop.
    func drain() {
        let (told, cursor) = state.withLock { ($0.polls.removeAll(telling: .cancelled), $0.feed.cursor) }
        // Each is sent away for a while of its own.
        tell(
            told.flatMap(\.polls).map {
                WaitingPolls.Told(polls: [$0], outcome: .idle(.drainingForAWhile, at: cursor))
            })
    }

    /// Gives waits that were taken out under the lock their outcome; called after unlocking.
    ///
    /// Here and now, also where it is a crowd: that takes a microsecond each, and on another thread would take a core from
    /// the loops that send the answers.
    func tell(_ told: [WaitingPolls.Told]) {
        guard !told.isEmpty else { return }
        use()
        for crowd in told {
            for poll in crowd.polls { poll.answer(crowd.outcome) }
            surroundings.timer.cancel(crowd.polls.compactMap { $0.deadline })
        }
    }
}
