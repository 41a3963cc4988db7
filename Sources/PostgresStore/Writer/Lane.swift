import Dispatch
import Foundation
import Locking

/// Requests that wait for one thread, which takes them in batches.
final class Lane<Request: Sendable>: Sendable {
    private struct State {
        var waiting: [Request] = []
        var isClosed = false
    }

    private let state = Lock(State())
    private let wake = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Parameter work: runs on the thread, until ``take(atMost:by:)`` returns nil.
    func start(named name: String, _ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.name = name
        thread.start()
    }

    /// Adds a request.
    ///
    /// - Returns: false after ``close()``: nobody will take it.
    func add(_ request: Request) -> Bool {
        let (isOpen, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.waiting.append(request)
            return (true, state.waiting.count == 1)
        }
        if isFirst { wake.signal() }
        return isOpen
    }

    /// Waits for requests and takes them, in their order.
    ///
    /// - Parameter deadline: when the wait ends without any; nil for no end.
    /// - Returns: none after the deadline; nil when the lane is closed and empty.
    func take(atMost limit: Int, by deadline: ContinuousClock.Instant? = nil) -> [Request]? {
        while true {
            let (taken, isClosed) = state.withLock { state in
                let taken = Array(state.waiting.prefix(limit))
                state.waiting.removeFirst(taken.count)
                return (taken, state.isClosed)
            }
            if !taken.isEmpty { return taken }
            if isClosed { return nil }
            guard let deadline else {
                wake.wait()
                continue
            }
            let left = deadline - .now
            if left <= .zero || wake.wait(timeout: .now() + left / .seconds(1)) == .timedOut { return [] }
        }
    }

    /// Takes no more requests; the thread ends after those that wait.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }
}
