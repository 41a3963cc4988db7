import Dispatch

/// Runs blocking code on a new thread, as part of the current task.
///
/// The cooperative pool has only one thread per core, and the server under test needs them.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(ThreadExecutor()) { try await run(body) }
}

/// Runs async code that sometimes blocks on a new thread.
package func onOwnThread<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    try await withTaskExecutorPreference(ThreadExecutor()) { try await body() }
}

/// Nonisolated and concurrent, so that it runs on the task's preferred executor.
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
