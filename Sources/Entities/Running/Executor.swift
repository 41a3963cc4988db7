import Dispatch
import Foundation
import Locking

/// The threads on which `async` and blocking actions run, apart from the event loops.
///
/// Threads start when they are needed, up to a limit, and do not end. At the limit, work waits in a bounded queue.
package final class Executor: TaskExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var threads = 0
        var idle = 0
        /// Actions that have started and not ended.
        var actions = 0
    }

    private let state = Lock(State())
    private let available = DispatchSemaphore(value: 0)
    private let maxThreads: Int
    private let maxActions: Int

    /// Makes an executor with at most so many threads and actions; a late action counts until it returns.
    package init(threads: Int = 64, actions: Int = 1_024) {
        (maxThreads, maxActions) = (threads, actions)
    }

    /// Starts an action as a task that prefers these threads; a synchronous action keeps its thread until it returns.
    ///
    /// - Returns: nil if the executor is full; the action does not start.
    package func run(_ action: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        let hasRoom = state.withLock { state in
            guard state.actions < maxActions else { return false }
            state.actions += 1
            return true
        }
        guard hasRoom else { return nil }
        return Task(executorPreference: self) { [self] in
            await action()
            state.withLock { $0.actions -= 1 }
        }
    }

    /// Runs an action with a time limit, and calls back once, with nil after the limit.
    ///
    /// - Returns: false if the executor is full; the action does not start.
    func run<Value: Sendable>(
        for time: Duration, _ timer: any Timing, _ action: @escaping @Sendable () async -> Value,
        then: @escaping @Sendable (Value?) -> Void
    ) -> Bool {
        let attempt = Attempt()
        let deadline = timer.schedule(at: timer.now + time) {
            // Observers run here, so do not use the timer's thread. The executor's threads may all hang.
            Task.detached { if attempt.end(isLate: true) { then(nil) } }
        }
        let task = run {
            let value = await action()
            timer.cancel([deadline])
            if attempt.end(isLate: false) { then(value) }
        }
        if let task { attempt.began(task) } else { timer.cancel([deadline]) }
        return task != nil
    }

    /// Takes one job of a task (SE-0417).
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let startsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count, state.threads < maxThreads else { return false }
            state.threads += 1
            return true
        }
        available.signal()
        if startsThread { Thread.start(named: "executor") { [self] in work() } }
    }

    /// A thread takes one job for each signal.
    private func work() -> Never {
        while true {
            state.withLock { $0.idle += 1 }
            available.wait()
            let job = state.withLock { state in
                state.idle -= 1
                return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
            }
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// An action with a deadline; the first of the two ends it.
private final class Attempt: Sendable {
    private let state = Lock<(isOver: Bool, task: Task<Void, Never>?)>((false, nil))

    func began(_ task: Task<Void, Never>) { state.withLock { if !$0.isOver { $0.task = task } } }

    /// Ends the attempt, and cancels the task of a late one; false if it had ended.
    func end(isLate: Bool) -> Bool {
        let (isFirst, task) = state.withLock { state in
            defer { state = (true, nil) }
            return (!state.isOver, state.task)
        }
        if isLate { task?.cancel() }
        return isFirst
    }
}
