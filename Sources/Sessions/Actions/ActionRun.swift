import Locking

/// One run of an action off the loop: it is over when the action is, or its time.
final class ActionRun: Sendable {
    typealias Finish = @Sendable (_ result: Result<Void, any Error>, _ mayStage: Bool) -> Void

    private struct State {
        var finish: Finish?
        var task: Task<Void, Never>?
        var isTooLate = false
        var forgetDeadline: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    /// - Parameter finish: called once, with what the action threw, or ``SessionFailure/timedOut``, and whether the thread may
    ///   work on live view models: not the timer's, which is to be held up by nobody's.
    init(_ finish: @escaping Finish) { state = Lock(State(finish: finish)) }

    func setDeadline(_ timer: DeadlineTimer, at time: Duration) {
        let deadline = timer.schedule(at: time) { [self] in giveUp() }
        state.withLock { $0.forgetDeadline = { timer.cancel(CollectionOfOne(deadline)) } }
    }

    /// Notes the task that the action runs in, to be cancelled when its time is over.
    func begin(_ task: Task<Void, Never>) {
        let isTooLate = state.withLock { state in
            if state.finish != nil { state.task = task }
            return state.isTooLate
        }
        if isTooLate { task.cancel() }
    }

    func finish(_ result: Result<Void, any Error>) {
        let (finish, forgetDeadline) = state.withLock { state in
            state.task = nil
            return (state.finish.take(), state.forgetDeadline.take())
        }
        forgetDeadline?()
        finish?(result, true)
    }

    private func giveUp() {
        let (finish, task) = state.withLock { state in
            state.isTooLate = true
            return (state.finish.take(), state.task)
        }
        task?.cancel()
        finish?(.failure(SessionFailure.timedOut), false)
    }
}
