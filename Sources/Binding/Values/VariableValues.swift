/// The current and each later value of a Variable, as an asynchronous sequence: ``ReadableVariable/values``.
///
/// Each iteration starts with the value that is current when it starts. The latest value wins: a reader that is slower
/// than the sets reads the latest value and not those it missed, so the last is never missed, and a reader costs
/// one value's memory however slow it is.
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
            await reading.storage.next(isolation: actor)
        }
    }

    /// Starts an iteration at the current value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(variable)
    }

    /// Ends the reading when the last copy of the iterator is dropped.
    private final class Reading: Sendable {
        let storage = ValuesStorage<Value>()

        init(_ variable: Variable<Value>?) {
            if let variable { variable.subscribe(.reader(storage), through: nil) } else { storage.sourceEnded() }
        }

        deinit {
            storage.cancel()
        }
    }
}

@available(*, unavailable)
extension VariableValues.Iterator: Sendable {}

extension ReadableVariable {
    /// The current value and each later one; a slow reader gets the latest.
    public var values: VariableValues<Value> {
        VariableValues(variable: constant.variable)
    }
}
