import Locking
import ViewModels

extension Session {
    /// Runs an action to its end, whoever hangs up meanwhile, or until its time is over.
    ///
    /// - Throws: what the action throws; ``SessionFailure/timedOut`` where it may run on, on an instance that nobody is to
    ///   touch any more.
    func run(_ action: Int, of viewModel: any HostedViewModel, body: [UInt8]) async throws {
        if try viewModel.performNow(action, body: body) { return }
        let timer = surroundings.timer
        let end = timer.now + surroundings.limits.actionTime
        // Safe: the turn waits here until the action is over, and lets go of the instance after its time.
        nonisolated(unsafe) let viewModel = viewModel
        var deadline: DeadlineKey?
        // A task of its own: the caller's is cancelled when he hangs up, and what was begun is his session's.
        let task = Task { try await viewModel.perform(action, body: body) }
        defer { if let deadline { timer.cancel(CollectionOfOne(deadline)) } }
        try await withCheckedThrowingContinuation { continuation in
            let waiting = Lock<CheckedContinuation<Void, any Error>?>(continuation)
            let answer: @Sendable (Result<Void, any Error>) -> Void = { result in
                waiting.withLock { $0.take() }?.resume(with: result)
            }
            Task { answer(await task.result) }
            deadline = timer.schedule(at: end) {
                task.cancel()
                answer(.failure(SessionFailure.timedOut))
            }
        }
    }
}
