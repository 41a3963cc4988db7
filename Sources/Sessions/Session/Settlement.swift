import Locking

/// What becomes of a step that was submitted to the store: known now or later, and to be waited for.
final class Settlement: Sendable {
    private struct State: Sendable {
        var isSettled = false
        var failure: StoreFailure?
        var waiting: [@Sendable (StoreFailure?) -> Void] = []
    }

    private let state = Lock(State())

    /// Whether it is known.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Whether it is known, and the step stored.
    var isStored: Bool { state.withLock { $0.isSettled && $0.failure == nil } }

    /// Makes it known; called once.
    func settle(_ failure: StoreFailure?) {
        let waiting = state.withLock { state in
            state.isSettled = true
            state.failure = failure
            defer { state.waiting = [] }
            return state.waiting
        }
        for act in waiting { act(failure) }
    }

    /// Calls back, once, when it is known: with why the step was not stored, or nil where it was.
    ///
    /// Perhaps before it returns, else from the store's thread, so that it must not block.
    func whenSettled(_ act: @escaping @Sendable (StoreFailure?) -> Void) {
        let (isSettled, failure) = state.withLock { state in
            if !state.isSettled { state.waiting.append(act) }
            return (state.isSettled, state.failure)
        }
        if isSettled { act(failure) }
    }

    /// Why the step was not stored, or nil where it was; returns when it is known, whether the task is cancelled or not.
    func outcome() async -> StoreFailure? {
        let (isSettled, failure) = state.withLock { ($0.isSettled, $0.failure) }
        if isSettled { return failure }
        return await withCheckedContinuation { continuation in
            whenSettled { continuation.resume(returning: $0) }
        }
    }
}
