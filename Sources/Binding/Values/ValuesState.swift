/// The rules of a reader of a Variable's values, as a pure state machine: each step returns what to do after unlocking.
///
/// It holds one value, the latest that was not yet read.
@usableFromInline
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
