import Locking

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

/// One reader of a Variable's values: holds the lock, asks the state machine, unlocks, then resumes.
final class ValuesStorage<Value: Sendable>: Sendable {
    private let state = Lock(ValuesState<Value>())

    func enqueue(_ value: Value) -> Bool {
        state.withLock { $0.enqueue(value) }
    }

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

/// The rules of a reader of a Variable's values, as a pure state machine: each step returns what to do after unlocking.
///
/// It holds one value, the latest that was not yet read.
struct ValuesState<Value: Sendable> {
    typealias Waiter = CheckedContinuation<Value?, Never>

    private var latest: Value?
    private var waiter: Waiter?
    private(set) var isFinished = false

    /// Keeps the latest value; false when the reading has ended.
    ///
    /// The one it replaces is that of the Variable's last set, which the set under way keeps until after unlocking.
    mutating func enqueue(_ value: Value) -> Bool {
        guard !isFinished else { return false }
        latest = value
        return true
    }

    /// Who is to be resumed, and with what.
    struct Resumption {
        let waiter: Waiter
        let value: Value?

        func callAsFunction() {
            waiter.resume(returning: value)
        }
    }

    /// Hands the latest value, or the end, to the one who waits.
    mutating func flush() -> Resumption? {
        guard waiter != nil, let next = take(), let waiter = waiter.take() else { return nil }
        return Resumption(waiter: waiter, value: next)
    }

    /// What can be read without waiting: a value, or nil for the end.
    mutating func take() -> Value?? {
        if let value = latest.take() { return .some(value) }
        return isFinished ? .some(nil) : nil
    }

    /// Answers the waiter, or lets it wait; an earlier waiter gets the end.
    mutating func wait(_ new: Waiter) -> Resumption? {
        if let next = take() { return Resumption(waiter: new, value: next) }
        let superseded = waiter.map { Resumption(waiter: $0, value: nil) }
        waiter = new
        return superseded
    }

    /// No value comes after the one that was not yet read.
    mutating func finish() -> Resumption? {
        isFinished = true
        return flush()
    }

    /// What a cancel leaves to do after unlocking.
    struct Cancellation {
        /// Released after unlocking, since the deinit of a class may do anything.
        let unread: Value?
        let resumption: Resumption?
    }

    /// Nobody reads any more.
    mutating func cancel() -> Cancellation {
        let unread = latest.take()
        return Cancellation(unread: unread, resumption: finish())
    }
}
