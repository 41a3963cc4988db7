import Dispatch

/// Runs blocking code on a thread of its own, as part of the current task: the cooperative pool has as many threads as the
/// machine has cores, and the server under test needs them.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(ThreadExecutor()) { try await run(body) }
}

/// Runs something that blocks now and then on a thread of its own, from its beginning to its end.
package func onOwnThread<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    try await withTaskExecutorPreference(ThreadExecutor()) { try await body() }
}

/// Nonisolated and concurrent, so that it goes where the task's preference says.
@concurrent private func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try body()
}

private final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "blocking")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
