import Dispatch
import Foundation
import Locking

/// Threads for work that may block: each piece of it has one at once, or is refused.
///
/// Not a dispatch queue: on Linux the concurrent ones share their threads, as many as there are cores, with Swift's
/// cooperative pool, and another is added after a second or so in which all of them were blocked. Threads are made as they
/// are needed; a few that have nothing to do are kept.
final class ActionThreads: Sendable {
    private let crew: Crew

    /// - Parameter limit: how many threads there may be.
    init(atMost limit: Int) { crew = Crew(limit: limit) }

    deinit { crew.close() }

    /// Runs work on a thread that has nothing else to do.
    ///
    /// - Returns: false where there is none and no further one may or can be made; the work will not be done.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool { crew.run(work) }
}

/// What outlives its owner for as long as a thread works.
private final class Crew: Sendable {
    private typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
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

    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (hasThread, needsThread) = state.withLock { state in
            if state.spare > 0 {
                state.spare -= 1
                return (true, false)
            }
            guard state.threads < limit else { return (false, false) }
            state.threads += 1
            return (true, true)
        }
        guard hasThread else { return false }
        if needsThread, !startThread() {
            state.withLock { $0.threads -= 1 }
            return false
        }
        state.withLock { $0.waiting.append(work) }
        bell.signal()
        return true
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
        while doNext(), isKept() { continue }
    }

    /// Waits for work and does it.
    ///
    /// - Returns: false where there is to be no more.
    private func doNext() -> Bool {
        bell.wait()
        let work = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        work?()
        return work != nil
    }

    private func isKept() -> Bool {
        state.withLock { state in
            let isKept = !state.isClosed && state.spare < Self.mostSpare
            if isKept { state.spare += 1 } else { state.threads -= 1 }
            return isKept
        }
    }
}
