import Foundation

/// The rules of a delivery, as a pure state machine: each step returns what is to be done after unlocking.
@usableFromInline
struct DeliveryState<Value: Sendable> {
    /// nil once cancelled, so that a cancelled observation holds on to nothing of its user's.
    @usableFromInline var handler: Handler<Value>?
    @usableFromInline var pending = PendingValues<Value>()
    /// A thread is delivering; it takes whatever else is appended meanwhile.
    @usableFromInline var isDelivering: Bool
    @usableFromInline var waiters: [DispatchSemaphore] = []

    /// - Parameter isDelivering: the thread that makes the observation has the first delivery to itself,
    ///   so that the current value is delivered before a setter can be the first.
    @inlinable
    init(handler: Handler<Value>, isDelivering: Bool) {
        self.handler = handler
        self.isDelivering = isDelivering
    }

    @inlinable var isCancelled: Bool { handler == nil }

    @inlinable
    mutating func append(_ value: Value) {
        if handler != nil { pending.append(value) }
    }

    @usableFromInline
    enum Step {
        case deliver(Value, Handler<Value>)
        /// Nothing left, or cancelled: those who wait for the delivery to end are to be signalled.
        case end([DispatchSemaphore])
    }

    /// Claims the deliveries for the calling thread; nil when another has them, or there is nothing to deliver.
    @inlinable
    mutating func begin() -> Step? {
        guard !isDelivering, let handler, let value = pending.popFirst() else { return nil }
        isDelivering = true
        return .deliver(value, handler)
    }

    /// What the thread that has the deliveries does next.
    @inlinable
    mutating func proceed() -> Step {
        if let handler, let value = pending.popFirst() { return .deliver(value, handler) }
        isDelivering = false
        defer { waiters = [] }
        return .end(waiters)
    }

    /// What a cancel leaves to be released after unlocking, and whether a delivery is in flight.
    struct Cancellation {
        let handler: Handler<Value>?
        let pending: PendingValues<Value>
        let isDelivering: Bool
    }

    /// Ends the observation; `handler` of the answer is nil when it had ended before.
    ///
    /// - Parameter waiter: signalled when the delivery in flight has ended, if there is one.
    mutating func cancel(waiter: DispatchSemaphore?) -> Cancellation {
        let cancellation = Cancellation(handler: handler, pending: pending, isDelivering: isDelivering)
        handler = nil
        pending = PendingValues()
        if isDelivering, let waiter { waiters.append(waiter) }
        return cancellation
    }
}
