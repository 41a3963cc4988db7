import ViewModels

/// A session as a value: what it shows, who waits for it, what is on its way to the store, and whose turn it is.
///
/// It takes events, which are its mutating methods, and leaves orders for its driver, ``Session``, which has the lock, the
/// live view models, the store and the clock. Whatever comes of an order comes back as an event.
///
/// One ask at a time has the turn, in the order in which they came:
///
///     free ── ask ──► fresh? ── yes ──► running ── acted, derived ──► free, perhaps with a commit on its way
///                       │ no               ▲
///                       ▼                  │ read
///         waitingForCommits: until none is on its way
///                       │                  │
///                       ▼                  │
///                    loading ── moved on ──┘
///                       └────── gone ──► ended
///
/// An action with a key may wait for a look-up before it runs, and again after it where the store was put back meanwhile; an
/// end for the store's word. Where others may move the session on and did not of late, an action runs on what is known: a
/// commit is stored only where that was the latest, and what ends without a commit is answered after a look.
/// The turn is free as soon as a commit is submitted: the next action runs on its result before it is stored. An answer that
/// depends on pending commits is held back until the last of them is stored. Where that one was not stored because the session
/// stands elsewhere or is gone (`.conflict`, `.gone`), the ask is run again, unless it is a change from inside, which ends with
/// `CancellationError`. After any other failure it is answered with ``SessionFailure/unavailable``.
struct SessionCore: Sendable {
    /// How a session is.
    enum Phase: Sendable {
        case live
        /// It is gone for good.
        case ended
        /// It left memory, and is in the store alone. A caller that still holds this instance looks the session up again.
        case evicted
    }

    /// Who has the turn, and what for.
    enum Turn: Sendable {
        case free
        /// Until no commit is on its way: what was submitted may still be stored, or not. `ran` as in `loading`.
        indirect case waitingForCommits(Ask, ran: Acted? = nil)
        /// The session is being read from the store. The read began after the ask number `covers` came, so that its result is
        /// new enough for every ask up to that one. `ran` is what the ask has come to, on a state that is yet to be found the
        /// latest.
        indirect case loading(Ask, covers: UInt64, ran: Acted? = nil)
        /// Others moved the session on again and again: a moment is let pass.
        case pausing(Ask)
        /// The live view models are at work.
        case running(Ask)
        /// Until the store has said what became of an action that came before under the same key. `prepared` is what this one
        /// came to, where it has run already: it is submitted if there was none.
        ///
        /// Indirect: rare, and far larger than the others.
        indirect case lookingUp(Ask, prepared: Acted? = nil)
        /// Until the store has deleted the session; `covers` is the latest ask that came before that.
        case ending(Ask, covers: UInt64)
    }

    /// What this build has yet to derive of what was stored.
    enum Underived: Sendable {
        case nothing
        /// What other builds did not: what is stored without an output, and what nobody has touched. The rest stays as they
        /// derived it, or two builds side by side would each derive what the other did.
        case whatIsMissing
        case everything
    }

    let id: SessionID
    let limits: SessionLimits
    /// Whether others may move the session on: then the store is looked at before each answer that speaks of state.
    let isShared: Bool
    /// Whether the store tells of what others do.
    var isWatched = false
    /// How often in a row a look at the store found what was known: others seem not to move the session on.
    var looksInPeace = 0
    /// Whether the session may change by itself here.
    var lease = Lease.none
    /// How often that was asked for: an answer to an earlier ask may come late.
    var leaseAsks = 0
    /// The changes from inside that wait for that.
    var changesWaiting: [Ask] = []
    /// The store's (``SessionStore/incarnation``), as it is now.
    var incarnation: UInt64
    /// The time of day.
    var time: TimeOfDay

    /// What is shown: what is committed, and what was stored from the beginning.
    var feed: ChangeFeed
    var waits = Waits()
    var phase = Phase.live
    /// What this build has yet to derive of what was stored, before it can be shown.
    var underived: Underived
    /// How many idempotency keys the store has of the session: some may have ended since.
    var keys: Int
    /// How many bytes their answers have.
    var keyBytes: Int
    /// When they were found to be as many as there may be.
    var keysCounted: TimeOfDay?
    /// When the session ends by what the store knows; nil for never.
    var storedEnd: TimeOfDay?
    /// The store's incarnation when `storedEnd` was asked for, or handed to it: another one may have lost it.
    var storedIn: UInt64
    /// The store's incarnation when the session was last asked for.
    var loadedIn: UInt64

    /// Commits on their way to the store, in the order in which they were submitted.
    var pending: [PendingCommit] = []
    /// The feed as it will be when all of them are stored; nil where it is to be made anew.
    var ahead: ChangeFeed?
    var lastPending: UInt64 = 0
    /// Whether the store may be ahead of the feed: a commit failed, and may have been stored for all we know.
    var isBehind = false
    /// Whether live view models were thrown away and could not be made anew: whoever has the turn next has it tried again.
    var isToRevive = false
    /// Whether the store did not answer when it was read, and somebody waits for what it has.
    var isToLookAgain = false
    /// Whether either is tried in a while though nobody asks.
    var isToBeTriedAgain = false

    var turn = Turn.free
    var line = AskLine()
    var arrivals: UInt64 = 0
    /// The number of the latest wait.
    var lastWait: UInt64 = 0
    /// The latest ask for which the store was looked at.
    var reloadedFor: UInt64 = 0
    /// The latest ask that came before the store was found to have the session no more.
    var lastAsk = UInt64.max

    /// Event streams that are open, waiting or not.
    var openStreams = 0
    var lastUse: Duration
    var actionLimit = ActionLimit()

    /// What is to be done, in this order.
    var orders: [Order] = []

    init(
        id: SessionID, record: SessionRecord, limits: SessionLimits, untouched: Untouched,
        isShared: Bool, incarnation: UInt64, time: TimeOfDay, at now: Duration
    ) {
        self.id = id
        self.limits = limits
        self.isShared = isShared
        self.incarnation = incarnation
        var record = record
        // The one array of all sessions, mostly.
        let digests = untouched.initialDigests.remembering(record.initialDigests)
        let isOfThisBuild = record.initialDigests == digests
        if isOfThisBuild { record.initialDigests = digests }
        feed = ChangeFeed(untouched: untouched, record: record)
        (keys, keyBytes) = (record.keys, record.keyBytes)
        let isAsBuilt = record.viewModels.isEmpty && isOfThisBuild && untouched.alive.isEmpty
        underived = isAsBuilt ? .nothing : .everything
        storedEnd = record.end
        storedIn = incarnation
        loadedIn = incarnation
        self.time = time
        lastUse = now
    }

    /// Whether what is shown is what was stored, as this build shows it.
    var isDerived: Bool { underived == .nothing }

    /// When the session ends if nobody uses it from now on; nil for never.
    var end: TimeOfDay? { id == .public ? nil : time.advanced(by: limits.timeToLive) }

    /// Throws where the session is no longer to be asked.
    func check() throws {
        switch phase {
        case .live: break
        case .ended: throw SessionFailure.ended
        case .evicted: throw SessionFailure.evicted
        }
    }

    /// How long nobody has used it; zero while somebody waits for it.
    ///
    /// What it changes by itself is no use of it.
    func idleTime(at now: Duration) -> Duration {
        if case .running = turn, !isChangingAlone { return .zero }
        return waits.isEmpty && openStreams == 0 && pending.isEmpty ? now - lastUse : .zero
    }

    /// Whether anybody waits for changes.
    var isAwaited: Bool { openStreams > 0 || !waits.isEmpty }

    /// Has the store watched as long as anybody waits for what others may do.
    mutating func keepWatch() {
        let isWanted = isShared && phase == .live && isAwaited
        guard isWanted != isWatched else { return }
        isWatched = isWanted
        orders.append(.watch(isWanted))
        // The watch does not report earlier changes: read once.
        if isWanted { ask(.reload(Asker())) }
    }
}

// How it ends, or leaves memory.

extension SessionCore {
    /// The store has deleted the session, or not.
    mutating func deleted(_ failure: StoreFailure?) {
        guard case .ending(let ask, let covers) = turn else { return }
        turn = .free
        switch failure {
        case nil:
            markEnded(for: covers)
            answer(ask, .success(()))
        case .conflict:
            // Another replica moved it on: the end comes after that.
            isBehind = true
            again(ask)
        case let failure?: answer(ask, .failure(SessionFailure(writing: failure)))
        }
        goOn()
    }

    /// The store has the session no more; whoever waits for a change is told.
    ///
    /// - Parameter last: the latest ask for which that is known; nil for all until now.
    mutating func markEnded(for last: UInt64? = nil) {
        guard phase != .ended else { return }
        lastAsk = last ?? arrivals
        leave(as: .ended)
        orders.append(.endWaits(waits.removeAll(telling: .ended)))
    }

    /// Leaves memory, if nobody has used the session for so long.
    ///
    /// - Returns: whether it did.
    mutating func evict(ifIdleFor time: Duration, at now: Duration) -> Bool {
        var isAtRest = isChangingAlone
        if case .free = turn { isAtRest = true }
        guard phase == .live, isAtRest, idleTime(at: now) >= time else { return false }
        leave(as: .evicted)
        return true
    }

    /// Whether a change from inside has the turn, and nobody waits for it.
    private var isChangingAlone: Bool {
        if case .running(let ask) = turn { ask.isChange && line.isEmpty } else { false }
    }

    mutating func leave(as phase: Phase) {
        self.phase = phase
        endLease()
        // One that acts this moment is thrown away when it is done.
        if case .running = turn { return }
        orders.append(.clear)
    }
}
