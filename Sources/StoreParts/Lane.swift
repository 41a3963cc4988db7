import Dispatch
import Locking

/// Requests that wait for one thread, which takes them in batches.
package final class Lane<Request: Sendable>: Sendable {
    @usableFromInline let state = Lock((waiting: [Request](), isClosed: false))
    @usableFromInline let wake = DispatchSemaphore(value: 0)

    package init() {}

    /// Adds a request.
    ///
    /// - Returns: false after ``close()``; then nobody takes the request.
    @inlinable
    package func add(_ request: Request) -> Bool {
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
    /// - Parameter deadline: the end of the wait; nil for no end.
    /// - Returns: empty after the deadline; nil when the lane is closed and empty.
    @inlinable
    package func take(atMost limit: Int, by deadline: ContinuousClock.Instant? = nil) -> [Request]? {
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

    /// Refuses new requests; ``take(atMost:by:)`` still gives the waiting ones.
    package func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }
}
