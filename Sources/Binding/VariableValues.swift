import Locking

/// The current and each later value of a Variable, as an asynchronous sequence: ``ReadableVariable/values``.
///
/// Each iteration starts with the value that is current when it starts. The latest value wins: a slow reader skips
/// values, and never the last one. A reader keeps one value in memory.
///
/// **Lifetime.** The sequence and its iterators hold the Variable weakly. When it goes away, the iteration ends after the
/// value that was not yet read; when the reading task is cancelled, at once. An iterator that is dropped leaves the
/// Variable.
///
/// **Threads.** The sequence may be iterated by any number of tasks; an iterator belongs to one.
public struct VariableValues<Value: Sendable>: AsyncSequence, Sendable {
    weak let variable: Variable<Value>?

    /// Reads the values of one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: Reading

        fileprivate init(_ variable: Variable<Value>?) {
            reading = Reading(variable)
        }

        /// The next value, or nil when the Variable is gone or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await reading.reader.next(isolation: actor)
        }
    }

    /// Starts an iteration at the current value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(variable)
    }

    /// Ends the reading when the last copy of the iterator is dropped.
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
    /// The current value and each later one; a slow reader gets the latest.
    public var values: VariableValues<Value> {
        VariableValues(variable: constant.variable)
    }
}

/// One reader of a Variable's values: the latest value that was not yet read, and a stream that wakes the reader.
///
/// The stream carries no values, so that no reader is resumed under the Variable's lock.
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

    // The replaced value is that of the Variable's last set, which the present set keeps until after unlocking.
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
        // A value may come before the end of the Variable.
        return state.withLock { $0.latest.take() }
    }
}
