import Locking

/// An answer that is there already or still to come, once: a value, or why there is none.
///
/// Safe from any thread.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [@Sendable (Result<Value, any Error>) -> Void] = []
    }

    private let state: Lock<State>

    init() { state = Lock(State()) }

    /// The answer, where it is there.
    var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// Calls back, once, with the answer: before it returns where it is there, else from whatever thread brings it, so
    /// that it must not block.
    func whenKept(_ act: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        let result = state.withLock { state in
            if state.result == nil { state.waiting.append(act) }
            return state.result
        }
        if let result { act(result) }
    }

    /// Gives the answer; only the first is one.
    func keep(_ result: Result<Value, any Error>) {
        let waiting: [@Sendable (Result<Value, any Error>) -> Void] = state.withLock { state in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for act in waiting { act(result) }
    }

    /// The answer, when it is there; whether the task is cancelled or not.
    var value: Value {
        get async throws {
            if let result { return try result.get() }
            return try await withCheckedThrowingContinuation { continuation in
                whenKept { continuation.resume(with: $0) }
            }
        }
    }
}
