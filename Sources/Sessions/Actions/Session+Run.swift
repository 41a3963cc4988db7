import Locking
import ViewModels

extension Session {
    /// Whether an action may run on an event loop.
    func isFast(_ action: Int, of place: Int) -> Bool { surroundings.paces[place][action].road == .here }

    /// Runs an action on this thread, one that was known to be fast a moment ago and so never waits.
    func runHere(_ action: Int, of place: Int, on viewModel: any HostedViewModel, body: [UInt8]) throws {
        let isDone = try surroundings.paces[place][action].run(
            action, on: viewModel, body: body, by: surroundings.timeline)
        assert(isDone, "Only an action that does not wait can be known to be fast.")
    }

    /// Runs an action where it holds up no session but this one, to its end, whoever hangs up meanwhile, or until its time
    /// is over.
    ///
    /// The caller may be an event loop: a task begins on the one that its request came from.
    ///
    /// - Throws: what the action throws; ``SessionFailure/busy``; ``SessionFailure/timedOut`` where it may run on, on an
    ///   instance that nobody is to touch any more.
    func run(_ action: Int, of place: Int, on viewModel: any HostedViewModel, body: [UInt8]) async throws {
        let pace = surroundings.paces[place][action]
        let road = pace.road
        if road == .here { return try runHere(action, of: place, on: viewModel, body: body) }
        let timer = surroundings.timer
        let end = timer.now + surroundings.limits.actionTime
        // Safe: the turn waits here until the action is over, and lets go of the instance after its time.
        nonisolated(unsafe) let viewModel = viewModel
        try await withCheckedThrowingContinuation { continuation in
            let run = ActionRun(continuation)
            run.setDeadline(timer, at: end)
            // A task of its own: the caller's is cancelled when he hangs up, and what was begun is his session's.
            @Sendable func runInTask() {
                run.begin(Task { run.finish(await Result.of { try await viewModel.perform(action, body: body) }) })
            }
            // A task begins in the pool: off the loop, before the action does anything.
            guard road == .aside else { return runInTask() }
            let isTaken = surroundings.aside { [timeline = surroundings.timeline] in
                do {
                    if try pace.run(action, on: viewModel, body: body, by: timeline) {
                        run.finish(.success(()))
                    } else {
                        runInTask()
                    }
                } catch {
                    run.finish(.failure(error))
                }
            }
            if !isTaken { run.finish(.failure(SessionFailure.busy)) }
        }
    }
}

/// One run of an action off the loop: it is over when the action is, or its time.
private final class ActionRun: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Void, any Error>?
        var task: Task<Void, Never>?
        var isTooLate = false
        var forgetDeadline: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    init(_ continuation: CheckedContinuation<Void, any Error>) { state = Lock(State(waiting: continuation)) }

    func setDeadline(_ timer: DeadlineTimer, at time: Duration) {
        let deadline = timer.schedule(at: time) { [self] in giveUp() }
        state.withLock { $0.forgetDeadline = { timer.cancel(CollectionOfOne(deadline)) } }
    }

    /// Notes the task that the action runs in, to be cancelled when its time is over.
    func begin(_ task: Task<Void, Never>) {
        let isTooLate = state.withLock { state in
            state.task = task
            return state.isTooLate
        }
        if isTooLate { task.cancel() }
    }

    func finish(_ result: Result<Void, any Error>) {
        let (waiting, forgetDeadline) = state.withLock { state in
            state.task = nil
            return (state.waiting.take(), state.forgetDeadline.take())
        }
        forgetDeadline?()
        waiting?.resume(with: result)
    }

    private func giveUp() {
        let (waiting, task) = state.withLock { state in
            state.isTooLate = true
            return (state.waiting.take(), state.task)
        }
        task?.cancel()
        waiting?.resume(throwing: SessionFailure.timedOut)
    }
}

extension Result where Success == Void, Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Void) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
