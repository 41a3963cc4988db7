import Locking

/// An answer that is there already or still to come, once: a value, or why there is none.
///
/// Kept in a lock of whoever is to be answered, and safe from any thread. Not a class of its own: one that is generic is let
/// go of by way of its metadata, which costs each action a tenth of a microsecond.
struct Promise<Value: Sendable>: Sendable {
    fileprivate(set) var result: Result<Value, any Error>?
    fileprivate var waiting: [@Sendable (Result<Value, any Error>) -> Void] = []
}

extension Lock {
    /// The answer, where it is there.
    func result<Value>() -> Result<Value, any Error>? where State == Promise<Value> { withLock { $0.result } }

    /// Calls back, once, with the answer: before it returns where it is there, else from whatever thread brings it, so
    /// that it must not block.
    func whenResolved<Value>(_ act: @escaping @Sendable (Result<Value, any Error>) -> Void)
    where State == Promise<Value> {
        let result = withLock { promise in
            if promise.result == nil { promise.waiting.append(act) }
            return promise.result
        }
        if let result { act(result) }
    }

    /// Gives the answer; only the first is one.
    func resolve<Value>(_ result: Result<Value, any Error>) where State == Promise<Value> {
        let waiting: [@Sendable (Result<Value, any Error>) -> Void] = withLock { promise in
            guard promise.result == nil else { return [] }
            promise.result = result
            defer { promise.waiting = [] }
            return promise.waiting
        }
        for act in waiting { act(result) }
    }
}

/// Who asked for something that is done or not: told once.
final class Asker: Sendable {
    let promise = Lock(Promise<Void>())

    /// Returns when it is done; whether the task is cancelled or not.
    func wait() async throws {
        try await withCheckedThrowingContinuation { continuation in
            promise.whenResolved { continuation.resume(with: $0) }
        }
    }
}
