import Locking

/// What becomes of a step that was submitted to the store: known now or later, and to be waited for.
final class Settlement: Sendable {
    private struct State: Sendable {
        var isSettled = false
        var failure: StoreFailure?
        var waiting: [CheckedContinuation<StoreFailure?, Never>] = []
    }

    private let state = Lock(State())

    /// Whether it is known.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Makes it known; called once.
    func settle(_ failure: StoreFailure?) {
        let waiting = state.withLock { state in
            state.isSettled = true
            state.failure = failure
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: failure) }
    }

    /// Why the step was not stored, or nil where it was; returns when it is known, whether the task is cancelled or not.
    func outcome() async -> StoreFailure? {
        let (isSettled, failure) = state.withLock { ($0.isSettled, $0.failure) }
        if isSettled { return failure }
        return await withCheckedContinuation { continuation in
            let (isSettled, failure) = state.withLock { state in
                if !state.isSettled { state.waiting.append(continuation) }
                return (state.isSettled, state.failure)
            }
            if isSettled { continuation.resume(returning: failure) }
        }
    }
}
