import Events
import ViewModels

// The driver of the core: events go in under the lock, orders are carried out after unlocking.

/// Whose thread carries out a session's orders.
enum Carrier {
    /// One for making view models, which may hang.
    case making
    /// An event loop, an action's, or one of Swift's pool: others need it soon, and no view model is made there.
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
    private func carryOut(_ first: consuming [Order], on carrier: Carrier) {
        var orders = consume first
        var count = 0
        repeat {
            orders.reverse()
            // Taken out, so that nothing is kept of one that was carried out: what it holds is changed in place.
            while let order = orders.popLast() {
                if order.makesViewModels(beside: live) {
                    guard make(order, then: orders.reversed(), on: carrier) else { return }
                    continue
                }
                // Bounded, so that an event loop returns to its own connections.
                guard count < Self.ordersInARow, carrier != .reserved || !order.runsViewModels else {
                    let rest = [order] + orders.reversed()
                    Task { [self] in carryOut(rest, on: .shared) }
                    return
                }
                count += 1
                carryOut(order)
            }
            state.withLock { $0.goOnCarrying(&orders) }
        } while !orders.isEmpty
    }

    /// Carries out an order that makes view models, on a thread for that; each of them in the time that an action may take.
    ///
    /// - Parameter rest: the orders behind it; whoever goes on carries these out, too.
    /// - Returns: whether the caller goes on; else another thread does.
    private func make(_ order: Order, then rest: [Order], on carrier: Carrier) -> Bool {
        // Another would hang, too, on a thread each time.
        guard !environment.hungMakings.isOf(id) else {
            live.discardDoubtful()
            notMade(order, hangs: true)
            tryAgainIfReturned()
            return true
        }
        let live = live
        let run = making(order, then: rest, with: live)
        // Safe: nobody else touches them until the order is carried out; after its time they are let go of.
        nonisolated(unsafe) let theirs = live
        if carrier == .making { return make(order, with: theirs, as: run) }
        let isTaken = environment.threads.runMaking { [self] in
            if make(order, with: theirs, as: run) { carryOut(rest, on: .making) }
        }
        if !isTaken { run.refuse() }
        return false
    }

    /// The carrying out of such an order, as what may be given up: then the thread that gives it up goes on without it.
    private func making(_ order: Order, then rest: [Order], with live: LiveViewModels) -> TimedRun {
        // Read before its thread works on them; after that safe, since only what never changes of them is looked at here, and what is atomic.
        let places = live.places
        nonisolated(unsafe) let live = live
        let run = TimedRun { [self] result, _ in
            guard case .failure(let error) = result else { return }
            if case SessionFailure.timedOut = error {
                // Its thread may still work on those.
                self.live = LiveViewModels(of: id, language: language, environment: environment, lacking: places)
                environment.hungMakings.note(1, of: id)
                tellHung(live)
                notMade(order, hangs: true)
                tryAgainIfReturned()
            } else {
                let threads = max(1, environment.limits.actionThreads / 2)
                environment.tell(
                    Event(.boundReached, ["bound": "making-threads", "limit": .number(threads)]),
                    alike: "making-threads")
                // Nobody else touches them: it did not begin.
                self.live.discardDoubtful()
                notMade(order, hangs: false)
            }
            carryOut(rest, on: .reserved)
        }
        let limit = environment.limits.actionTime
        run.setDeadline(environment.timer, at: environment.now + limit) { [environment] in
            // The time of each, not of all together: a session of many would never be made.
            let end = Duration.milliseconds(live.begunAt.load(ordering: .relaxed)) + limit
            return end > environment.now ? end : nil
        }
        return run
    }

    /// - Returns: false where it was given up.
    private func make(_ order: Order, with live: LiveViewModels, as run: TimedRun) -> Bool {
        guard run.start() else { return false }
        let start = environment.now
        let tellCore = made(order, by: live)
        guard run.finish(.success(())) else {
            environment.hungMakings.note(-1, of: id)
            environment.tell(
                Event(.makingReturned, ["session": .text("\(tag)"), "milliseconds": milliseconds(since: start)]))
            // In memory it may be anew.
            let session = environment.sessions.withLock { $0[id] } ?? self
            session.handle(on: .making) { $0.tryAgain() }
            return false
        }
        tellCore()
        return true
    }

    /// What hung may have returned before the core knew that it is to be tried again.
    private func tryAgainIfReturned() {
        if !environment.hungMakings.isOf(id) { handle { $0.tryAgain() } }
    }

    private func notMade(_ order: Order, hangs: Bool) {
        handle { core in
            if case .revive = order { core.notRevived(hangs: hangs) } else { core.notMade(hangs: hangs) }
        }
    }

    /// Names the view model that was begun last.
    private func tellHung(_ live: LiveViewModels) {
        let name = environment.catalogue.viewModels[live.begunLast.load(ordering: .relaxed)].name.rawValue
        environment.tell(
            Event(
                .makingTimedOut,
                ["viewModel": .text(name), "session": .text("\(tag)"), "seconds": .number(actionSeconds)]), alike: name)
    }
}
