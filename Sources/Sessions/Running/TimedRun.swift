import Locking

/// One run that may take too long, of an action off the event loops, a change from inside or a making of view models: it is
/// over when that is, or its time.
final class TimedRun: Sendable {
    typealias Finish = @Sendable (_ result: Result<Void, any Error>, _ isOver: Bool) -> Void

    private struct State {
        var finish: Finish?
        var task: Task<Void, Never>?
        var hasStarted = false
        var isTooLate = false
        var forgetDeadline: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    /// - Parameter finish: called once, with what was thrown, or ``SessionFailure/timedOut``, or ``SessionFailure/busy`` where
    ///   it did not begin; and whether by the thread of what is over, not by another.
    init(_ finish: @escaping Finish) { state = Lock(State(finish: finish)) }

    /// - Parameter later: asked at the deadline for another one; nil where there is none.
    func setDeadline(
        _ timer: DeadlineTimer, at time: Duration, unless later: @escaping @Sendable () -> Duration? = { nil }
    ) {
        let deadline = timer.schedule(at: time) { [self] in
            if let time = later() { setDeadline(timer, at: time, unless: later) } else { giveUp() }
        }
        let isOver = state.withLock { state in
            if state.finish != nil { state.forgetDeadline = { timer.cancel(CollectionOfOne(deadline)) } }
            return state.finish == nil
        }
        if isOver { timer.cancel(CollectionOfOne(deadline)) }
    }

    /// It begins.
    ///
    /// - Returns: false where it was given up before; it is not to be begun then.
    func start() -> Bool {
        state.withLock { state in
            state.hasStarted = state.finish != nil
            return state.hasStarted
        }
    }

    /// Notes the task that an `async` action runs in, to be cancelled when its time is over.
    func begin(_ task: Task<Void, Never>) {
        let isTooLate = state.withLock { state in
            if state.finish != nil { state.task = task }
            return state.isTooLate
        }
        if isTooLate { task.cancel() }
    }

    /// It is over.
    ///
    /// - Returns: false where it was given up before.
    @discardableResult
    func finish(_ result: Result<Void, any Error>) -> Bool { end(result, isOver: true) }

    /// There is no thread for it.
    func refuse() { _ = end(.failure(SessionFailure.busy), isOver: false) }

    private func end(_ result: Result<Void, any Error>, isOver: Bool) -> Bool {
        let (finish, forgetDeadline) = state.withLock { state in
            state.task = nil
            return (state.finish.take(), state.forgetDeadline.take())
        }
        forgetDeadline?()
        finish?(result, isOver)
        return finish != nil
    }

    private func giveUp() {
        let (finish, task, hasStarted) = state.withLock { state in
            state.isTooLate = true
            return (state.finish.take(), state.task, state.hasStarted)
        }
        // Told before it may return.
        finish?(.failure(hasStarted ? SessionFailure.timedOut : .busy), false)
        task?.cancel()
    }
}
