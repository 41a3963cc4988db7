import Dispatch
import Locking
import ViewModels

/// A part of the check that runs one view model, on a thread of its own: where something that is asked of the view model does
/// not return, the thread is given up and left to it.
///
/// Each thing that is asked of it has the whole time.
final class Trial: Sendable {
    /// What a view model is asked for.
    enum Request: Sendable {
        /// To read a model that an earlier build stored; a few words name it.
        case reading(String)
        /// To be made.
        case making
        /// To show its outputs and its model.
        case showing
        /// An action; changes from inside wait for the turn that it has.
        case action(Name, ChangeQueue)
        /// To make a change that comes from inside.
        case change

        func complaint(after time: String) -> String {
            switch self {
            case .reading(let model): "\(model) was not read in \(time)."
            case .making:
                "It was not made in \(time): an initializer takes over what it is given, and leaves services to actions and "
                    + "changes."
            case .showing: "Its outputs and its model were not encoded in \(time)."
            case .action(let name, let changes) where changes.isWaitedFor:
                "\(name) did not return in \(time), while a change from inside waited for the turn that \(name) itself has: an "
                    + "action changes its view model by itself and awaits no context.changes, which is for tasks. If it waits for "
                    + "something else, give the view model a stand-in for that."
            case .action(let name, _):
                "\(name) did not return in \(time): give the view model a stand-in for what it waits for, or the check a longer "
                    + "stepTime."
            case .change: "A change from inside did not return in \(time)."
            }
        }
    }

    private struct State {
        var findings = Findings()
        var request: Request?
        var steps: [String] = []
        /// When the last request was made.
        var start: ContinuousClock.Instant
        var isOver = false
        var end: CheckedContinuation<Void, Never>?
    }

    /// For the deadlines of all trials: not Swift's pool, whose threads a view model's own tasks may hold.
    private static let deadlines = DispatchQueue(label: "bindery.contract.deadlines")

    private let viewModel: Name
    private let limit: Duration
    private let state = Lock(State(start: .now))
    private let thread = TrialThread()

    private init(of viewModel: Name, limit: Duration) {
        self.viewModel = viewModel
        self.limit = limit
    }

    /// Returns when the body has, or when it is given up.
    ///
    /// A caller that is cancelled cancels the body and waits for it all the same, as long as it may take.
    ///
    /// - Parameters:
    ///   - limit: the time for each thing that is asked of the view model.
    ///   - body: may go on after it was given up, unheard.
    /// - Returns: what was found, and whether the body returned.
    static func run(
        of viewModel: Name, limit: Duration, _ body: @escaping @Sendable (Trial) async -> Void
    ) async -> (violations: [Violation], isComplete: Bool) {
        let trial = Trial(of: viewModel, limit: limit)
        // A task and not a detached one: what a view model reports to a test is told to the test that asks.
        let task = Task(executorPreference: trial.thread) {
            await body(trial)
            trial.finish()
        }
        trial.watch(from: .now)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = trial.state.withLock { state in
                    if !state.isOver { state.end = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            task.cancel()
        }
        // Of one that was given up, what only waits ends by that.
        task.cancel()
        return trial.state.withLock { ($0.findings.violations, $0.request == nil) }
    }

    /// The view model is asked for something, which may take as long as the trial's limit from now on.
    ///
    /// - Parameter steps: those that led there, this one included where it is one.
    func begin(_ request: Request, after steps: [String] = []) {
        state.withLock { state in
            guard !state.isOver else { return }
            (state.request, state.steps, state.start) = (request, steps, .now)
        }
    }

    /// Takes a violation down, unless the trial was given up.
    func note(_ rule: Violation.Rule, _ complaint: String, after steps: [String] = []) {
        state.withLock { state in
            if !state.isOver { state.findings.note(rule, viewModel, complaint, after: steps) }
        }
    }

    private func finish() {
        let end = state.withLock { state in
            if !state.isOver { state.request = nil }
            state.isOver = true
            return state.end.take()
        }
        end?.resume()
    }

    /// Looks again when the time of what is asked for now would be over.
    private func watch(from start: ContinuousClock.Instant) {
        // At most a day, which no interval of Dispatch's is too small for.
        let rest = min(max(.zero, ContinuousClock.now.duration(to: start + limit)), .seconds(86_400))
        Self.deadlines.asyncAfter(deadline: .now() + rest / .seconds(1)) { [weak self] in self?.giveUpOrWatch() }
    }

    private func giveUpOrWatch() {
        let (start, end) = state.withLock { state in
            guard !state.isOver else {
                return (nil, nil) as (ContinuousClock.Instant?, CheckedContinuation<Void, Never>?)
            }
            // Its thread has not come to it yet.
            guard let request = state.request else { return (.now, nil) }
            guard ContinuousClock.now - state.start >= limit else { return (state.start, nil) }
            state.findings.note(.returning, viewModel, request.complaint(after: limit.inWords), after: state.steps)
            state.isOver = true
            return (nil, state.end.take())
        }
        end?.resume()
        if let start { watch(from: start) }
    }
}

extension Duration {
    /// In seconds, as `10 seconds` or `0.5 seconds`.
    fileprivate var inWords: String {
        let seconds = self / .seconds(1)
        if seconds == 1 { return "1 second" }
        return seconds == seconds.rounded() ? "\(components.seconds) seconds" : "\(seconds) seconds"
    }
}

/// Runs the task of a trial, and nothing else.
private final class TrialThread: TaskExecutor {
    /// Has a thread of its own, as each queue that is not global: one that is blocked for ever holds up nobody.
    private let queue = DispatchQueue(label: "bindery.contract")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
