import Locking

/// The current value and each later value of a Variable, as an asynchronous sequence: ``ReadableVariable/values``.
///
/// Each iteration starts with the current value. A slow reader skips values, but never the last one. A reader keeps one
/// value in memory.
///
/// **Lifetime.** The sequence and its iterators have weak references to the Variable. After the Variable is released,
/// the iteration gives the unread value and ends. If the reading task is cancelled, the iteration ends at once. A
/// released iterator ends its subscription.
///
/// **Threads.** Any number of tasks may iterate the sequence; an iterator belongs to one task.
public struct VariableValues<Value: Sendable>: AsyncSequence, Sendable {
    weak let variable: Variable<Value>?

    /// Reads the values of one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: Reading

        fileprivate init(_ variable: Variable<Value>?) {
            reading = Reading(variable)
        }

        /// The next value; nil if the Variable is released or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await reading.reader.next(isolation: actor)
        }
    }

    /// Starts an iteration at the current value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(variable)
    }

    /// Ends the subscription when the last copy of the iterator is released.
    private final class Reading: Sendable {
        let reader = ValuesReader<Value>()

        init(_ variable: Variable<Value>?) {
            if let variable { variable.subscribe(reader, through: nil) } else { reader.end() }
        }

        deinit {
            reader.end()
        }
    }
}

extension ReadableVariable {
    /// The current value and each later value; a slow reader gets only the latest.
    public var values: VariableValues<Value> {
        VariableValues(variable: constant.variable)
    }
}

/// One reader of a Variable's values: the latest unread value, and a stream that wakes the reader.
///
/// The stream has no values, so that no reader resumes under the Variable's lock.
final class ValuesReader<Value: Sendable>: Subscriber {
    private let state = Lock(State())
    private let changes: AsyncStream<Void>
    private let told: AsyncStream<Void>.Continuation

    private struct State {
        var latest: Value?
        var isEnded = false
    }

    init() {
        (changes, told) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        told.onTermination = { [weak self] _ in self?.state.withLock { $0.isEnded = true } }
    }

    // The present set keeps the replaced value until after unlocking, so nothing is released here.
    func enqueue(_ value: Value) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.latest = value
            return true
        }
    }

    func flush() { told.yield() }
    var isEnded: Bool { state.withLock { $0.isEnded } }
    func end() { told.finish() }

    func next(isolation actor: isolated (any Actor)?) async -> Value? {
        var iterator = changes.makeAsyncIterator()
        while !Task.isCancelled {
            if let value = state.withLock({ $0.latest.take() }) { return value }
            if await iterator.next(isolation: actor) == nil { break }
        }
        if Task.isCancelled {
            told.finish()
            return nil
        }
        // A value may have come before the Variable's release.
        return state.withLock { $0.latest.take() }
    }
}
