internal import Events
import ViewModels

// How view models are made: on threads for that, each in the time that an action may take.

extension Session {
    /// Carries out an order that makes view models, on a thread for that; each of them in the time that an action may take.
    ///
    /// - Parameter rest: the orders behind it; whoever goes on carries these out, too.
    /// - Returns: whether the caller goes on; else another thread does.
    func makeElsewhere(_ order: Order, then rest: [Order], on carrier: CarrierThread) -> Bool {
        // Another would hang, too, on a thread each time.
        guard !environment.hungMakings.isOf(id) else {
            live.discardDoubtful()
            notMade(order, hangs: true)
            tryAgainIfReturned()
            return true
        }
        let live = live
        let run = timedMaking(order, then: rest, with: live)
        // Safe: nobody else touches them until the order is carried out; after its time they are let go of.
        nonisolated(unsafe) let theirs = live
        if carrier == .making { return carryOutMaking(order, with: theirs, as: run) }
        let isTaken = environment.threads.runMaking { [self] in
            if carryOutMaking(order, with: theirs, as: run) { carryAll(rest, on: .making) }
        }
        if !isTaken { run.refuse() }
        return false
    }

    /// The carrying out of such an order, as what may be given up: then the thread that gives it up goes on without it.
    ///
    /// That is the timer's; or the carrier, where the line is full. `notMade` and `tryAgainIfReturned` tell the core as if view
    /// models could run there, which is safe only because the duty to carry is taken all the while: what the core orders is
    /// left to `carryAll`, which knows whose thread it is.
    private func timedMaking(_ order: Order, then rest: [Order], with live: LiveViewModels) -> TimedRun {
        // Read before its thread works on them; after that safe, since only what never changes of them is looked at here, and what is atomic.
        let places = live.places
        nonisolated(unsafe) let live = live
        let run = TimedRun { [self] result, _ in
            guard case .failure(let error) = result else { return }
            if case SessionFailure.timedOut = error {
                // Its thread may still work on those.
                self.live = LiveViewModels(
                    of: id, named: crashNames, environment: environment, lacking: places)
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
            carryAll(rest, on: .reserved)
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
    private func carryOutMaking(_ order: Order, with live: LiveViewModels, as run: TimedRun) -> Bool {
        guard run.start() else { return false }
        let start = environment.now
        let tellCore = work(of: order, on: live)
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

    /// Does what such an order says.
    ///
    /// - Returns: what tells the core of it.
    private func work(of order: Order, on live: LiveViewModels) -> () -> Void {
        switch order {
        case .run(let action, let feed, let head):
            do {
                _ = try live.viewModel(at: action.id.viewModel, on: feed)
            } catch {
                return { [self] in acted(.unreadable(action.id.viewModel, error)) }
            }
            return { [self] in run(action, on: feed, to: head) }
        case .derive(let part, let feed, let head):
            let derived = live.derive(part, on: feed, to: head)
            return { [self] in handle { $0.derived(derived) } }
        case .changeLanguage(let language, let feed, let head):
            let derived = live.changeLanguage(to: language, on: feed, to: head)
            return { [self] in handle { $0.derived(derived) } }
        case .read(let record, let known, let isBehind):
            let feed = live.read(record, after: known, isBehind: isBehind)
            return { [self] in handle { $0.read(feed) } }
        case .revive(let feed): live.revive(from: feed)
        case .gather, .change, .clear, .tryAgain, .submit, .load, .watch, .lease, .pause, .lookUp,
            .delete, .answer, .resolve, .endWaits:
            break
        }
        return {}
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
