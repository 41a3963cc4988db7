import Dispatch
import Foundation
import Locking

/// Threads for actions, which may block.
///
/// A piece of work that is no task has a thread of its own at once, or is refused. The jobs of `async` actions have one for
/// as long as each runs, and wait where there is none: one that blocks, against the rules of Swift's concurrency, holds up
/// neither the timer nor the reading of other sessions, which are in Swift's pool.
///
/// Not a dispatch queue: on Linux the concurrent ones share their threads, as many as there are cores, with Swift's
/// cooperative pool, and another is added after a second or so in which all of them were blocked. Threads are made as they
/// are needed; a few that have nothing to do are kept.
final class ActionThreads: TaskExecutor {
    private let crew: Crew

    /// - Parameter limit: how many threads there may be.
    init(atMost limit: Int) { crew = Crew(limit: limit) }

    deinit { crew.close() }

    /// Runs work on a thread that has nothing else to do.
    ///
    /// - Returns: false where there is none and no further one may or can be made; the work will not be done.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool { crew.run(work) }

    /// Runs a job of a task as soon as there is a thread (SE-0417).
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        crew.runLater { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// What outlives its owner for as long as a thread works.
private final class Crew: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        /// Work for threads that were woken for it.
        var given: [Work] = []
        /// Work that no thread was free for.
        var left: [Work] = []
        var threads = 0
        /// Threads that nobody has work for yet.
        var spare = 0
        var isClosed = false
    }

    private static let mostSpare = 8

    private let limit: Int
    private let state = Lock(State())
    private let bell = DispatchSemaphore(value: 0)

    init(limit: Int) { self.limit = limit }

    func run(_ work: @escaping Work) -> Bool {
        guard takeThread() else { return false }
        give(work)
        return true
    }

    func runLater(_ work: @escaping Work) {
        if takeThread() { return give(work) }
        let isLeft = state.withLock { state in
            // Else nobody would come to do it.
            guard state.threads > 0 else { return false }
            state.left.append(work)
            return true
        }
        if !isLeft { DispatchQueue.global().async(execute: work) }
    }

    private func give(_ work: @escaping Work) {
        state.withLock { $0.given.append(work) }
        bell.signal()
    }

    /// Has a thread wait for work that is to be given to it.
    private func takeThread() -> Bool {
        let (hasThread, needsThread) = state.withLock { state in
            if state.spare > 0 {
                state.spare -= 1
                return (true, false)
            }
            guard state.threads < limit else { return (false, false) }
            state.threads += 1
            return (true, true)
        }
        guard needsThread, !startThread() else { return hasThread }
        state.withLock { $0.threads -= 1 }
        return false
    }

    /// Ends the threads as they come to have nothing to do.
    func close() {
        let spare = state.withLock { state in
            state.isClosed = true
            state.threads -= state.spare
            defer { state.spare = 0 }
            return state.spare
        }
        for _ in 0..<spare { bell.signal() }
    }

    /// Not a Foundation `Thread`, which does not say that it could not be made.
    private func startThread() -> Bool {
        var thread = pthread_t()
        let crew = Unmanaged.passRetained(self)
        let error = pthread_create(
            &thread, nil,
            { crew in
                guard let crew else { return nil }
                Thread.current.name = "bindery-action"
                // The other end of the retain above.
                Unmanaged<Crew>.fromOpaque(crew).takeRetainedValue().work()
                return nil
            }, crew.toOpaque())
        guard error == 0 else {
            crew.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func work() {
        repeat { bell.wait() } while doWork()
    }

    /// Does the work that the thread was woken for, and what was left meanwhile.
    ///
    /// - Returns: whether the thread is to wait for more.
    private func doWork() -> Bool {
        var work = state.withLock { $0.given.isEmpty ? nil : $0.given.removeFirst() }
        guard work != nil else { return false }
        while let next = work {
            next()
            // Let go of before anything else is done.
            work = nil
            work = state.withLock { $0.left.isEmpty ? nil : $0.left.removeFirst() }
        }
        return state.withLock { state in
            // Left since: whoever left it saw this thread.
            if !state.left.isEmpty {
                state.given.append(state.left.removeFirst())
                bell.signal()
                return true
            }
            let isKept = !state.isClosed && state.spare < Self.mostSpare
            if isKept { state.spare += 1 } else { state.threads -= 1 }
            return isKept
        }
    }
}
