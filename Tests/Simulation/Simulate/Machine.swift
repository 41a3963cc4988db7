import Foundation

/// The one thread that everything runs on, and the line of jobs before it.
///
/// Swift's runtime hands every job of its default executor to a hook, where one is set (`swift_task_enqueueGlobal_hook`,
/// swift/Runtime/Concurrency.h). So all tasks of the code under test run here, one at a time, in an order that a seed
/// decides, and the code need not know.
enum Machine {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    // Safe: there is one thread.
    nonisolated(unsafe) static var jobs: [UnownedJob] = []
    private static let executor = OneThread()
    private static let serial = executor.asUnownedSerialExecutor()

    /// Takes every job from here on.
    static func takeOver() {
        guard let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            fatalError("This Swift runtime has no swift_task_enqueueGlobal_hook.")
        }
        hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in Machine.jobs.append(job) }
    }

    /// Runs the job at a place in the line.
    static func run(_ place: Int) {
        jobs.swapAt(place, jobs.count - 1)
        guard let job = jobs.popLast() else { return }
        job.runSynchronously(on: serial)
    }
}

private final class OneThread: SerialExecutor {
    func enqueue(_ job: UnownedJob) { Machine.jobs.append(job) }
}
