internal import Events
import Locking
import ViewModels

extension Session {
    /// Asks for an action: it is run, what it changed is committed, and only then shown and answered.
    ///
    /// While the store writes, the next action runs already, on what this one left; it is stored after this one or not
    /// at all. Where another replica moved the session on meanwhile, the session is read again and the action is run
    /// again on the newer state.
    ///
    /// - Parameters:
    ///   - action: which one.
    ///   - body: JSON text; empty where none was sent.
    ///   - request: what makes it the same as another that was asked for; nil for one that may happen again.
    ///   - isWanted: given the view model's entity tag, whether the action may run; nil where it cannot be shown.
    /// - Returns: what becomes of it, once that is stored; or ``SessionFailure``, `CancellationError` where whoever asked
    ///   went away before its turn came, or what the action threw, of which nothing is stored.
    package func ask(
        for action: ActionID, body: [UInt8] = [], once request: IdempotentRequest? = nil,
        where isWanted: @escaping @Sendable (String?) -> Bool = { _ in true }
    ) -> RequestedAction {
        let action = ActionCall(action, body: body, once: request, where: isWanted)
        // Only the rate limit needs the time.
        let now = environment.limits.actionsPerSecond == nil ? .zero : environment.now
        handle { $0.ask(action, at: now) }
        return RequestedAction(session: self, action: action)
    }

    /// Runs a change that comes from inside a view model, commits what it changed, and only then shows it.
    ///
    /// - Throws: `CancellationError` where the instance is not live any more, or another replica moved the session on: it
    ///   is made anew from what is stored then, and begins to change itself anew. ``SessionFailure``, such as
    ///   ``SessionFailure/timedOut`` where it ran longer than an action may.
    func change(
        _ viewModel: ObjectIdentifier, of instance: LiveViewModels.InstanceID, _ body: @escaping @Sendable () -> Void
    ) async throws {
        var pause = Duration.milliseconds(50)
        while true {
            let change = InnerChange(of: viewModel, instance: instance, body)
            handle { $0.ask(.change(change)) }
            do {
                return try await change.asker.wait()
            } catch SessionFailure.ended, SessionFailure.evicted {
                throw CancellationError()
            } catch SessionFailure.busy, SessionFailure.notMade {
                // Without the turn, which the session's actions need; and whoever is discarded meanwhile is told next time.
                try await environment.timeline.sleep(until: environment.now + pause)
                pause = min(pause * 2, .seconds(1))
            }
        }
    }

    /// Runs an action: here, where it is known to be fast, else where it holds up no session but this one.
    func run(_ action: ActionCall, on feed: ChangeFeed, to head: SessionHead) {
        let viewModel: any HostedViewModel
        do {
            viewModel = try live.viewModel(at: action.id.viewModel, on: feed)
        } catch {
            return acted(.unreadable(action.id.viewModel, error))
        }
        live.beginTurn()
        let pace = environment.actionPaces[action.id.viewModel][action.id.action]
        guard pace.isFast else { return runElsewhere(action, on: viewModel, pace: pace) }
        let result = Result {
            let isDone = try performNow(action, on: viewModel, pace: pace)
            assert(isDone, "Only an action that does not wait can be known to be fast.")
        }
        acted(live.gather(actedOn: action.id.viewModel, after: result, on: feed, to: head))
    }

    /// Runs a change that an instance makes by itself, if it is still the live one, on a thread that is there for changes.
    func run(_ change: InnerChange, on feed: ChangeFeed, to head: SessionHead) {
        guard let place = live.place(of: change.viewModel, marked: change.instance) else {
            return acted(.notBegun(CancellationError()))
        }
        live.beginTurn()
        // One that hangs holds its thread; what is made anew would hang, too, on a thread each time.
        guard !environment.hungChanges.isOf(id) else { return acted(.notBegun(SessionFailure.busy)) }
        let (name, start) = (environment.catalogue.viewModels[place].name.rawValue, environment.now)
        let run = TimedRun { [self] result, isOver in
            if case .failure(SessionFailure.timedOut) = result {
                environment.hungChanges.note(1, of: id)
                environment.tell(
                    Event(
                        .changeTimedOut,
                        ["viewModel": .text(name), "session": .text("\(tag)"), "seconds": .number(actionSeconds)]),
                    alike: name)
            }
            handle(on: isOver ? .shared : .reserved) { $0.ran(at: place, result) }
        }
        run.setDeadline(environment.timer, at: environment.now + environment.limits.actionTime)
        let isTaken = environment.threads.runChange { [self] in
            guard run.start() else { return }
            crashNames.running(environment.labels[place].viewModel) { change.body() }
            let wasInTime = run.finish(.success(()))
            guard !wasInTime else { return }
            environment.hungChanges.note(-1, of: id)
            environment.tell(
                Event(
                    .changeReturned,
                    ["viewModel": .text(name), "session": .text("\(tag)"), "milliseconds": milliseconds(since: start)]))
        }
        guard !isTaken else { return }
        let threads = environment.limits.actionThreads / 2
        environment.tell(
            Event(.changeWaits, ["viewModel": .text(name), "threads": .number(max(1, threads))]), alike: "")
        run.refuse()
    }

    private func runElsewhere(_ action: ActionCall, on viewModel: any HostedViewModel, pace: RunPace) {
        let place = action.id.viewModel
        let start = environment.now
        let run = TimedRun { [self] result, isOver in
            if case .failure(SessionFailure.timedOut) = result {
                let names = names(of: action)
                environment.tell(
                    Event(
                        .actionTimedOut,
                        [
                            "viewModel": .text(names.viewModel), "action": .text(names.action),
                            "session": .text("\(tag)"), "seconds": .number(actionSeconds),
                        ]), alike: "\(names)")
            }
            // It is given up by the timer's thread, which is to be held up by nobody's view models, or was not taken by any.
            guard isOver else { return handle(on: .reserved) { $0.ran(at: place, result) } }
            environment.threads.afterwards { handle { $0.ran(at: place, result) } }
        }
        run.setDeadline(environment.timer, at: start + environment.limits.actionTime)
        environment.counts.begin(run, at: start)
        // Safe: nobody touches the instance until the action is over; after its time it is let go of.
        nonisolated(unsafe) let viewModel = viewModel
        let isTaken = environment.threads.run { [self] in
            // Not where it was given up before.
            guard run.start() else { return environment.counts.end(run) }
            do {
                if try performNow(action, on: viewModel, pace: pace) {
                    finish(run, of: action, since: start, .success(()))
                    return
                }
            } catch {
                finish(run, of: action, since: start, .failure(error))
                return
            }
            // It is `async`. A task of its own: the caller may hang up, and what was begun belongs to the session.
            run.begin(
                Task(executorPreference: executor(for: action)) { [self] in
                    do {
                        try await viewModel.perform(action.id.action, body: action.body)
                        finish(run, of: action, since: start, .success(()))
                    } catch {
                        finish(run, of: action, since: start, .failure(error))
                    }
                })
        }
        guard !isTaken else { return }
        environment.counts.end(run)
        run.refuse()
    }

    /// Where an `async` action runs.
    private func executor(for action: ActionCall) -> NamingExecutor? {
        let labels = environment.labels[action.id.viewModel]
        return environment.threads.runJob.map {
            NamingExecutor(crashNames, labels.viewModel, labels.actions[action.id.action], on: $0)
        }
    }

    /// Runs an action, unless it is `async`; its pace is told how long it took.
    private func performNow(_ action: ActionCall, on viewModel: any HostedViewModel, pace: RunPace) throws -> Bool {
        let labels = environment.labels[action.id.viewModel]
        return try crashNames.running(labels.viewModel, labels.actions[action.id.action]) {
            try pace.run(action.id.action, on: viewModel, body: action.body, by: environment.timeline) { time in
                let names = names(of: action)
                environment.tell(
                    Event(
                        .actionSlow,
                        [
                            "viewModel": .text(names.viewModel), "action": .text(names.action),
                            "milliseconds": .number(time.milliseconds),
                        ]))
            }
        }
    }

    /// An action is over; the log is told where nobody waited for it any more.
    private func finish(
        _ run: TimedRun, of action: ActionCall, since start: Duration, _ result: Result<Void, any Error>
    ) {
        environment.counts.end(run)
        guard !run.finish(result) else { return }
        let names = names(of: action)
        environment.tell(
            Event(
                .actionReturned,
                [
                    "viewModel": .text(names.viewModel), "action": .text(names.action), "session": .text("\(tag)"),
                    "milliseconds": milliseconds(since: start),
                ]))
    }

    private func names(of action: ActionCall) -> (viewModel: String, action: String) {
        let declaration = environment.catalogue.viewModels[action.id.viewModel]
        return (declaration.name.rawValue, declaration.actions[action.id.action].name.rawValue)
    }

    var actionSeconds: Int { Int(environment.limits.actionTime.components.seconds) }

    func milliseconds(since start: Duration) -> Event.Value {
        .number((environment.now - start).milliseconds)
    }
}

/// An action that was asked for, as something to be waited for or called off.
package struct RequestedAction: Sendable {
    let session: Session
    let action: ActionCall

    /// What became of it, where that is known.
    package var result: Result<ActionResult, any Error>? { action.promise.result() }

    /// Calls back, once, with what becomes of it: before it returns where that is known, else from whatever thread brings
    /// it, so that it must not block.
    package func whenDone(_ act: @escaping @Sendable (Result<ActionResult, any Error>) -> Void) {
        action.promise.whenResolved(act)
    }

    /// Takes it out of the line; once it has begun, nothing happens: it is its session's.
    package func callOff() { session.handle { $0.hungUp(action) } }
}

/// What became of an action.
package enum ActionResult: Sendable {
    /// It was done; here is what the view model shows now.
    case done(View)
    /// It was done or refused, and what was answered is kept; a replay says it again.
    indirect case remembered(RememberedOutcome, isReplay: Bool)
}
