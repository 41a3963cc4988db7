public import Events
import Locking
import ViewModels

/// One user's view models, their notification center and their change feed.
///
/// Safe from any thread. What it shows is committed; its live view models act one turn at a time, and change by themselves
/// as long as the registry has the session in memory. What happens when is decided by its ``SessionCore``; this class keeps
/// the lock, and carries out the core's orders after unlocking.
public final class Session: Sendable {
    struct State: Sendable {
        var core: SessionCore
        /// Whether somebody carries out what the core orders: there is one carrier at a time.
        private var isCarried = false
        var watch: StoreWatch?

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
    public let id: SessionID
    /// The language its view models speak.
    public let language: Language
    /// What the log calls it.
    public let tag: SessionTag
    let environment: SessionEnvironment
    let state: Lock<State>
    // Safe: touched only by whoever carries out the session's orders, one after the other.
    nonisolated(unsafe) let live: LiveViewModels

    init(id: SessionID, record: SessionRecord, environment: SessionEnvironment) {
        self.id = id
        self.environment = environment
        tag = SessionTag(of: id)
        language = record.language
        live = LiveViewModels(of: id, language: record.language, environment: environment)
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
    public var cursor: Cursor { state.withLock { $0.core.feed.cursor } }

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
    public func end() async throws { try await ask { .end($0) } }

    /// Derives the outputs of what was stored anew, and commits what this build derives otherwise.
    ///
    /// Whoever waits with an old cursor is told: also of what nobody has touched and shows something else now, as a view
    /// model that is new. Done once, when the session was read; where it could not be stored, whoever asks next does it.
    /// From then on those are alive that change by themselves.
    ///
    /// - Throws: ``SessionFailure``.
    func derive() async throws { try await ask { .derive($0) } }

    /// Asks for something that needs the session's turn, and returns when it is done.
    func ask(_ make: (Asker) -> Ask.Kind) async throws {
        let asker = Asker()
        let kind = make(asker)
        handle { $0.ask(kind) }
        try await asker.wait()
    }

    /// Notes that the store has the session no more; whoever waits for a change is told.
    func markEnded() { handle { $0.markEnded() } }

    /// Keeps the session in memory for as long as an event stream is open, also while it does not wait.
    ///
    /// - Returns: false where it has left already. Where true, ``closeStream()`` has to follow.
    public func openStream() -> Bool {
        handle { core in
            guard core.phase == .live else { return false }
            core.openStreams += 1
            return true
        }
    }

    /// Lets the session go that ``openStream()`` kept.
    public func closeStream() {
        use()
        handle { $0.openStreams -= 1 }
    }

    /// Leaves memory if nobody has used the session for so long; the store has all of it.
    ///
    /// - Returns: whether it did.
    func evict(ifIdleFor time: Duration) -> Bool {
        // Nobody else knows that it was used: where the store could not be told, it would end too early there.
        guard endToStore() == nil else { return false }
        let now = environment.now
        return handle { $0.evict(ifIdleFor: time, at: now) }
    }

    /// When the session should end by what the store is to know, where the store knows a much earlier end.
    ///
    /// Returned only where the stored end is too early by a twentieth of the time to live, which saves most writes, or has
    /// passed.
    func endToStore() -> TimeOfDay? {
        guard let end = environment.end(of: id) else { return nil }
        let now = environment.now
        return state.withLock { state in
            let idle = state.core.idleTime(at: now).components.seconds
            let due = TimeOfDay(secondsSince1970: end.secondsSince1970 - idle)
            let slack = max(1, environment.limits.timeToLive.components.seconds / 20)
            guard state.core.phase == .live, let stored = state.core.storedEnd else { return nil }
            let today = environment.timeOfDay
            let isLate = stored <= today && due > today
            // One that was put back may know an earlier end.
            let isLost = state.core.storedIn != environment.store.incarnation
            return isLate || isLost || due.secondsSince1970 - stored.secondsSince1970 >= slack ? due : nil
        }
    }

    /// Notes that an incarnation of the store knows when the session should end.
    func noteStored(_ end: TimeOfDay, in incarnation: UInt64) {
        state.withLock { state in
            state.core.storedEnd = end
            state.core.storedIn = incarnation
        }
    }
}

// The driver of the core: events go in under the lock, orders are carried out after unlocking.

/// Whose thread carries out a session's orders: working on the live view models may take long.
enum Carrier {
    /// One that holds up nobody else; or whatever there is, where no such thread is left.
    case own
    /// An event loop, or one of Swift's pool: others need it soon.
    case shared
    /// The store's, or a timer's: view models are not for it.
    case reserved
}

extension Session {
    /// Tells the core of an event, and carries out what it orders, unless another thread is at it already.
    @discardableResult
    func handle<Result>(
        on carrier: Carrier = .shared, _ event: (inout SessionCore) -> sending Result
    ) -> Result {
        let (time, incarnation) = (environment.timeOfDay, environment.store.incarnation)
        let (result, orders) = state.withLock { state in
            state.core.time = time
            state.core.incarnation = incarnation
            let result = event(&state.core)
            state.core.keepWatch()
            return (result, state.beginCarrying())
        }
        if let orders { carryOut(orders, on: carrier) }
        return result
    }

    /// How many orders one thread carries out before it leaves the rest to another: some hundred microseconds of them.
    private static let ordersInARow = 256

    /// Carries out one order after the other, and what they lead to, until there is none.
    private func carryOut(_ orders: consuming [Order], on carrier: Carrier) {
        var count = 0
        while !orders.isEmpty {
            orders.reverse()
            // Taken out, so that nothing is kept of one that was carried out: what it holds is changed in place.
            while let order = orders.popLast() {
                // Bounded, so that an event loop returns to its own connections.
                guard mayCarryOut(order, on: carrier), count < Self.ordersInARow else {
                    let rest = [order] + orders.reversed()
                    return environment.threads.handOver { [self] in carryOut(rest, on: .own) }
                }
                count += 1
                carryOut(order)
            }
            state.withLock { $0.goOnCarrying(&orders) }
        }
    }

    /// Whether an order may be carried out by a thread: one that makes view models holds it for as long as their initializers
    /// take.
    private func mayCarryOut(_ order: Order, on carrier: Carrier) -> Bool {
        guard order.runsViewModels, carrier != .own else { return true }
        guard carrier == .shared, !environment.makings.isSlow else { return false }
        return environment.makings.isFast || !makesViewModels(order)
    }

    /// Whether it makes view models at once; where a fast action fails, those that it changed are made anew all the same.
    private func makesViewModels(_ order: Order) -> Bool {
        switch order {
        case .run(let action, _, _): live.liveViewModel(at: action.id.viewModel) == nil
        case .derive, .read: true
        case .clear(let feed): feed != nil
        case .gather, .change, .submit, .load, .watch, .lookUp, .delete, .answer, .resolve, .endWaits: false
        }
    }

    private func carryOut(_ order: consuming Order) {
        switch consume order {
        case .run(let action, let feed, let head): run(action, on: feed, to: head)
        case .gather(let place, let result, let feed, let head):
            acted(live.gather(actedOn: place, after: result, on: feed, to: head))
        case .change(let change, let feed, let head): run(change, on: feed, to: head)
        case .derive(let part, let feed, let head):
            let derived = live.derive(part, on: feed, to: head)
            handle { $0.derived(derived) }
        case .read(let record, let known):
            let feed = live.read(record, after: known)
            handle { $0.read(feed) }
        case .clear(let feed):
            live.clear()
            if let feed { live.revive(from: feed) }
        case .submit(let commit, let number):
            // View models must not run on the store's thread.
            environment.store.submit(commit) { [self] failure in
                handle(on: .reserved) { $0.commitDone(number, failure) }
            }
        case .load(let known): load(unless: known)
        case .watch(let isWanted): watch(isWanted)
        case .lookUp(let key): lookUp(key)
        case .delete(let version): delete(at: version)
        case .answer(let action, let result):
            environment.counts.note(action.id, result)
            action.promise.resolve(result)
        case .resolve(let asker, let result): asker.promise.resolve(result)
        case .endWaits(let ended): endWaits(ended)
        }
    }

    func acted(_ acted: Acted) { handle { $0.acted(acted) } }

    private func load(unless known: CommitVersion?) {
        Task { [self] in
            let result: Result<LoadedSession, StoreFailure>
            do throws(StoreFailure) {
                if let known {
                    result = .success(try await environment.store.load(id, unless: known))
                } else {
                    result = .success(try await environment.store.load(id).map { .moved($0) } ?? .gone)
                }
            } catch {
                result = .failure(error)
            }
            handle { $0.loaded(result) }
        }
    }

    private func watch(_ isWanted: Bool) {
        guard isWanted else {
            // Released after unlocking.
            _ = state.withLock { $0.watch.take() }
            return
        }
        let watch = environment.store.watch(id) { [weak self] version in
            // View models must not run on the store's thread.
            self?.handle(on: .reserved) { $0.moved(to: version) }
        }
        state.withLock { $0.watch = watch }
    }

    private func lookUp(_ key: KeyDigest) {
        Task { [self] in
            do throws(StoreFailure) {
                let outcome = try await environment.store.outcome(of: key, in: id)
                handle { $0.lookedUp(.success(outcome)) }
            } catch {
                handle { $0.lookedUp(.failure(error)) }
            }
        }
    }

    private func delete(at version: CommitVersion) {
        Task { [self] in
            do throws(StoreFailure) {
                try await environment.store.delete(id, at: version)
                handle { $0.deleted(nil) }
            } catch {
                handle { $0.deleted(error) }
            }
        }
    }

    /// Gives waits that were taken out their outcome.
    ///
    /// Here and now, also where it is a crowd: that takes a microsecond each, and on another thread would take a core from
    /// the loops that send the answers.
    func endWaits(_ ended: [Waits.Ended]) {
        guard !ended.isEmpty else { return }
        use()
        for crowd in ended {
            for wait in crowd.waits { wait.answer(crowd.outcome) }
            environment.timer.cancel(crowd.waits.compactMap { $0.deadline })
        }
    }
}
