import Locking

/// One reader of a Variable's values: holds the lock, asks the state machine, unlocks, then resumes.
@usableFromInline
final class ValuesStorage<Value: Sendable>: Sendable {
    private let state = Lock(ValuesState<Value>())

    @usableFromInline
    func enqueue(_ value: Value) -> Bool {
        state.withLock { $0.enqueue(value) }
    }

    @usableFromInline
    func flush() {
        state.withLock { $0.flush() }?()
    }

    var isEnded: Bool { state.withLock { $0.isFinished } }

    func sourceEnded() {
        state.withLock { $0.finish() }?()
    }

    func cancel() {
        state.withLock { $0.cancel() }.resumption?()
    }

    func next(isolation actor: isolated (any Actor)?) async -> Value? {
        if Task.isCancelled { cancel() }
        if let next = state.withLock({ $0.take() }) { return next }
        return await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { waiter in
                state.withLock { $0.wait(waiter) }?()
            }
        } onCancel: {
            cancel()
        }
    }
}
