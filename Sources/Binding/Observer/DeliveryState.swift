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

    /// Notes a value to be delivered; false when cancelled.
    @inlinable
    mutating func append(_ value: Value) -> Bool {
        guard handler != nil else { return false }
        pending.append(value)
        return true
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
        guard !waiters.isEmpty else { return .end([]) }
        defer { waiters = [] }
        return .end(waiters)
    }

    /// What a cancel leaves to be released after unlocking, and whether a delivery is in flight.
    @usableFromInline
    struct Cancellation {
        let handler: Handler<Value>?
        let pending: PendingValues<Value>
        let isDelivering: Bool
    }

    /// Ends the observation.
    @usableFromInline
    mutating func cancel() -> Cancellation {
        defer {
            handler = nil
            pending = PendingValues()
        }
        return Cancellation(handler: handler, pending: pending, isDelivering: isDelivering)
    }

    /// Has `waiter` signalled when the delivery in flight has ended; false when there is none.
    mutating func waitForDelivery(_ waiter: DispatchSemaphore) -> Bool {
        if isDelivering { waiters.append(waiter) }
        return isDelivering
    }
}
