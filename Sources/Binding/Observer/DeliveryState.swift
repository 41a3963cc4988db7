import Foundation

/// The rules of a delivery, as a pure state machine: each step returns what is to be done after unlocking.
struct DeliveryState<Value: Sendable> {
    /// nil once cancelled, so that a cancelled observation holds on to nothing of its user's.
    var handler: Handler<Value>?
    var pending = PendingValues<Value>()
    /// A thread is delivering; it takes whatever else is appended meanwhile.
    var isDelivering: Bool
    var waiters: [DispatchSemaphore] = []

    /// - Parameter isDelivering: the thread that makes the observation has the first delivery to itself,
    ///   so that the current value is delivered before a setter can be the first.
    init(handler: Handler<Value>, isDelivering: Bool) {
        self.handler = handler
        self.isDelivering = isDelivering
    }

    /// Notes a value to be delivered; false when cancelled.
    mutating func append(_ value: Value) -> Bool {
        guard handler != nil else { return false }
        pending.append(value)
        return true
    }

    enum Step {
        case deliver(Value, Handler<Value>)
        /// Nothing left, or cancelled: those who wait for the delivery to end are to be signalled.
        case end([DispatchSemaphore])
    }

    /// Claims the deliveries for the calling thread; nil when another has them, or there is nothing to deliver.
    mutating func begin() -> Step? {
        guard !isDelivering, let handler, let value = pending.popFirst() else { return nil }
        isDelivering = true
        return .deliver(value, handler)
    }

    /// What the thread that has the deliveries does next.
    mutating func proceed() -> Step {
        if let handler, let value = pending.popFirst() { return .deliver(value, handler) }
        isDelivering = false
        guard !waiters.isEmpty else { return .end([]) }
        defer { waiters = [] }
        return .end(waiters)
    }

    /// What a cancel leaves to be released after unlocking, and whether a delivery is in flight.
    struct Cancellation {
        let handler: Handler<Value>?
        let pending: PendingValues<Value>
        let isDelivering: Bool
    }

    /// Ends the observation.
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

/// Values that wait for their delivery, first in, first out.
///
/// It is used under a lock, so it releases no value: popped values are moved out.
struct PendingValues<Value> {
    /// From `head` on; nil where values were moved out.
    private var values: [Value?] = []
    private var head = 0

    mutating func append(_ value: Value) { values.append(value) }

    mutating func popFirst() -> Value? {
        guard head < values.count else { return nil }
        defer {
            head += 1
            // A queue that is always behind must not keep the places of all that it has delivered.
            if head == values.count || head == 64 {
                values.removeFirst(head)
                head = 0
            }
        }
        return values[head].take()
    }
}

/// Knows whether the current thread is inside a delivery, of whatever observation.
///
/// A cancel from inside a delivery must not wait for another delivery: two that cancel one another would wait
/// for ever. Thread-local by pthread, since a delivery is synchronous and `Thread.current` costs more than it does.
enum DeliveringThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only when the process has used up its keys (1,024 on Linux), before which nothing here can work.
        guard pthread_key_create(&key, nil) == 0 else { fatalError("no thread-local key left") }
        return key
    }()

    static var isDelivering: Bool { depth > 0 }

    static func enter() { depth += 1 }

    static func leave() { depth -= 1 }

    /// Kept in the pointer itself: nothing is allocated for a thread.
    private static var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }
}
