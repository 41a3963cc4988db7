import Locking

/// Tasks wait here until it is opened; one that is cancelled goes on at once.
///
/// Counts both.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var early: Set<Int> = []
        var next = 0
        var arrived = 0
        var cancelled = 0
    }

    private let state = Lock(State())

    /// Tasks that have come to wait.
    var arrived: Int { state.withLock { $0.arrived } }

    /// Tasks that were cancelled while they waited.
    var cancelled: Int { state.withLock { $0.cancelled } }

    func wait() async throws {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    state.arrived += 1
                    if state.early.remove(ticket) != nil { return .failure(CancellationError()) }
                    if state.isOpen { return .success(()) }
                    state.waiting[ticket] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled += 1
                let waiting = state.waiting.removeValue(forKey: ticket)
                if waiting == nil { state.early.insert(ticket) }
                return waiting
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }
}
