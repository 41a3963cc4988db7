package import Events
import Locking
import ViewModels

/// One user's view models, their notification center and their change feed.
///
/// Safe from any thread. What it shows is committed; its live view models act one turn at a time, and change by themselves
/// as long as the registry has the session in memory. What happens when is decided by its ``SessionCore``; this class keeps
/// the lock, and carries out the core's orders after unlocking.
package final class Session: Sendable {
    struct State: Sendable {
        var core: SessionCore
        /// Whether somebody carries out what the core orders: there is one carrier at a time.
        private var isCarried = false
        var watch: StoreHandle?
        var lease: StoreHandle?

        init(core: SessionCore) { self.core = core }

        /// Takes the orders, and with them the duty to carry them out; nil where another thread has that duty, or there are
        /// none.
        mutating func beginCarrying() -> [Order]? {
            guard !isCarried, !core.orders.isEmpty else { return nil }
            isCarried = true
            var orders: [Order] = []
            swap(&core.orders, &orders)
            return orders
        }

        /// Takes the next orders; where there are none, the duty to carry them out ends.
        ///
        /// - Parameter orders: empty; its storage is used again by the core.
        mutating func goOnCarrying(_ orders: inout [Order]) {
            isCarried = !core.orders.isEmpty
            if isCarried { swap(&core.orders, &orders) }
        }
    }

    /// The name under which the session is kept.
    package let id: SessionID
    /// What the log calls it.
    package let tag: SessionTag
    /// What the line of a crash says of it.
    let crashNames: CrashNames
    let environment: SessionEnvironment
    let state: Lock<State>
    // Safe: touched only by whoever carries out the session's orders, one after the other.
    nonisolated(unsafe) var live: LiveViewModels

    init(id: SessionID, record: SessionRecord, environment: SessionEnvironment) {
        self.id = id
        self.environment = environment
        tag = SessionTag(of: id)
        crashNames = CrashNames(of: id)
        live = LiveViewModels(of: id, named: crashNames, environment: environment)
        state = Lock(
            State(
                core: SessionCore(
                    id: id, record: record, limits: environment.limits,
                    untouched: environment.untouched(in: record.language),
                    isShared: environment.store.isShared, incarnation: environment.store.incarnation,
                    time: environment.timeOfDay,
                    at: environment.now)))
    }

    /// Where the session's feed stands.
    package var cursor: Cursor { state.withLock { $0.core.feed.cursor } }

    /// The language its view models speak.
    package var language: Language { state.withLock { $0.core.feed.untouched.language } }

    /// Whether it can still be asked.
    var isLive: Bool { state.withLock { $0.core.phase == .live } }

    /// How long nobody has used the session; zero while somebody waits for it to change.
    func idleTime(at now: Duration) -> Duration { state.withLock { $0.core.idleTime(at: now) } }

    /// Notes that the session is in use.
    ///
    /// - Returns: whether it can still be asked, and whether what it shows is what this build derives.
    @discardableResult
    func use() -> (isLive: Bool, isDerived: Bool) {
        let now = environment.now
        return state.withLock { state in
            state.core.lastUse = now
            return (state.core.phase == .live, state.core.isDerived)
        }
    }

    /// Ends the session, in the store too; whoever waits for a change is told.
    ///
    /// One that has ended is left alone: the store may hold another of its name by now.
    ///
    /// - Throws: ``SessionFailure/unavailable`` where the store does not answer; the session goes on.
    ///   ``SessionFailure/evicted`` where it is to be found anew.
    package func end() async throws { try await end(ahead: false) }

    /// - Parameter isAhead: whether before what waits for its turn, all of which is then told that the session has ended.
    func end(ahead isAhead: Bool) async throws { try await ask(ahead: isAhead) { .end($0) } }

    /// Derives the outputs of what was stored anew, and commits what this build derives otherwise.
    ///
    /// Whoever waits with an old cursor is told: also of what nobody has touched and shows something else now, as a view
    /// model that is new. Done once, when the session was read; where it could not be stored, whoever asks next does it.
    /// From then on those are alive that change by themselves.
    ///
    /// - Throws: ``SessionFailure``.
    func derive() async throws { try await ask { .derive($0) } }

    /// Has the session speak another language from now on.
    ///
    /// As by another build, all outputs are derived anew, on view models that are made anew, and those that differ are told as
    /// changes: one commit brings them and the language, and no cursor loses its place. It counts as an action of the session.
    /// Where that is its language already, nothing is changed.
    ///
    /// - Parameter language: one of the catalogue's.
    /// - Throws: ``SessionFailure``; ``RegistryFailure/isPublic``, of which the language is everybody's.
    package func changeLanguage(to language: Language) async throws {
        guard id != .public else { throw RegistryFailure.isPublic }
        let asker = Asker()
        let now = environment.now
        handle { $0.ask(toChangeLanguageTo: language, asker, at: now) }
        try await asker.wait()
    }

    /// Asks for something that needs the session's turn, and returns when it is done.
    func ask(ahead isAhead: Bool = false, _ make: (Asker) -> Ask.Kind) async throws {
        let asker = Asker()
        let kind = make(asker)
        handle { $0.ask(kind, ahead: isAhead) }
        try await asker.wait()
    }

    /// Notes that the store has the session no more; whoever waits for a change is told.
    func markEnded() { handle { $0.markEnded() } }

    /// Keeps the session in memory for as long as an event stream is open, also while it does not wait.
    ///
    /// - Returns: false where it has left already. Where true, ``closeStream()`` has to follow.
    package func openStream() -> Bool {
        handle { core in
            guard core.phase == .live else { return false }
            core.openStreams += 1
            return true
        }
    }

    /// Lets the session go that ``openStream()`` kept.
    package func closeStream() {
        use()
        handle { $0.openStreams -= 1 }
    }

    /// Leaves memory if nobody has used the session for so long; the store has all of it.
    ///
    /// - Returns: whether it did.
    func evict(ifIdleFor time: Duration) -> Bool {
        // Nobody else knows that it was used: where the store could not be told, it would end too early there.
        guard endToStoreBeforeLeaving() == nil else { return false }
        let now = environment.now
        return handle { $0.evict(ifIdleFor: time, at: now) }
    }

    /// When the session should end by what the store is to know, where the store knows a much earlier end.
    ///
    /// Returned only where the stored end is too early by more than the slack, or lies before a time that the due one lies
    /// behind.
    ///
    /// - Parameters:
    ///   - time: by when sessions are ended; now where nil.
    ///   - slack: by default a twentieth of the time to live, which saves most writes.
    func endToStore(before time: TimeOfDay? = nil, slack: Duration? = nil) -> TimeOfDay? {
        guard let end = environment.end(of: id) else { return nil }
        let now = environment.now
        return state.withLock { state in
            let idle = state.core.idleTime(at: now).components.seconds
            let due = TimeOfDay(secondsSince1970: end.secondsSince1970 - idle)
            let slack = (slack ?? environment.limits.slack).components.seconds
            guard state.core.phase == .live, let stored = state.core.storedEnd else { return nil }
            let time = time ?? environment.timeOfDay
            let isLate = stored <= time && due > time
            // One that was put back may know an earlier end.
            let isLost = state.core.storedIn != environment.store.incarnation
            return isLate || isLost || due.secondsSince1970 - stored.secondsSince1970 >= slack ? due : nil
        }
    }

    /// The same of a session that is to leave memory, but for two seconds of rounding: when it was used is then known to the
    /// store alone.
    func endToStoreBeforeLeaving() -> TimeOfDay? { endToStore(slack: min(environment.limits.slack, .seconds(2))) }

    /// Notes that an incarnation of the store knows when the session should end.
    func noteStored(_ end: TimeOfDay, in incarnation: UInt64) {
        state.withLock { state in
            state.core.storedEnd = end
            state.core.storedIn = incarnation
        }
    }
}
