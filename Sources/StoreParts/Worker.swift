import Dispatch
import Foundation
import Locking

/// A thread of its own, for work that blocks.
///
/// What it works with it opens itself and shows to nobody else: none of it has to be Sendable.
package enum Worker<Failure: Error> {
    /// Starts a thread, and returns when it has begun.
    ///
    /// - Parameter body: what the thread does; it reports once whether it could begin.
    /// - Throws: what the thread reports.
    package static func start(
        named name: String, _ body: @escaping @Sendable (Beginning) -> Void
    ) throws(Failure) {
        let beginning = Beginning()
        let thread = Thread { body(beginning) }
        thread.name = name
        thread.start()
        try beginning.wait()
    }

    /// Does something once on a thread of its own: for so long it would hold up whatever shared one with it.
    package static func run<Outcome: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let result: Result<Outcome, Failure> = await withCheckedContinuation { continuation in
            let thread = Thread {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            thread.name = name
            thread.start()
        }
        return try result.get()
    }

    /// Whether a thread could begin.
    package final class Beginning: Sendable {
        private let outcome = Lock<Result<Void, Failure>>(.success(()))
        private let hasBegun = DispatchSemaphore(value: 0)

        /// Says so, once.
        package func report(_ result: Result<Void, Failure>) {
            outcome.withLock { $0 = result }
            hasBegun.signal()
        }

        fileprivate func wait() throws(Failure) {
            hasBegun.wait()
            try outcome.withLock { $0 }.get()
        }
    }
}

/// Something that happens once, and those who wait for it.
package final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// It has not happened yet.
    package init() {}

    /// Says that it has happened.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it has happened.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
