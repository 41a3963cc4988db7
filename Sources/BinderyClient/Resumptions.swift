import Locking

/// What waits, and is to be tried anew at once where the app comes back to the foreground.
final class Resumptions: Sendable {
    /// Why a wait ended.
    struct Resumed: Error {}

    private struct State: Sendable {
        var next = 0
        var waits: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Lock(State())

    /// How many wait.
    var count: Int { state.withLock { $0.waits.count } }

    /// Ends every wait that there is.
    func resume() {
        let waits = state.withLock { state in
            defer { state.waits = [:] }
            return state.waits
        }
        for end in waits.values { end() }
    }

    /// Waits in a task of its own.
    ///
    /// - Throws: ``Resumed`` where that ended the wait, else as the wait.
    func orResumed<Value: Sendable>(_ wait: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let waiting = Task { try await wait() }
        let number = state.withLock { state in
            state.next += 1
            state.waits[state.next] = { waiting.cancel() }
            return state.next
        }
        let result = await withTaskCancellationHandler {
            await waiting.result
        } onCancel: {
            waiting.cancel()
        }
        let isResumed = state.withLock { $0.waits.removeValue(forKey: number) == nil }
        do { return try result.get() } catch is CancellationError where isResumed { throw Resumed() }
    }
}
