import Foundation
import Locking

/// Delivers the changes of one observation: each, in order, one at a time, in the setter's thread or on a queue.
final class Delivery<Value: Sendable>: Cancellable, Subscriber {
    let state: Lock<DeliveryState<Value>>
    let queue: OperationQueue?
    /// The center observed through, which the handler keeps alive.
    let centerID: ObjectIdentifier?

    init(handler: Handler<Value>, on queue: OperationQueue?) {
        self.queue = queue
        centerID = handler.center.map { ObjectIdentifier($0) }
        state = Lock(DeliveryState(handler: handler, isDelivering: queue == nil))
    }

    /// Delivers the first value, which was enqueued, and what has come since.
    func start() {
        if queue == nil { run(from: state.withLock { $0.proceed() }) } else { flush() }
    }

    /// Notes a value; false when cancelled.
    func enqueue(_ value: Value) -> Bool {
        state.withLock { $0.append(value) }
    }

    func flush() {
        guard let queue else { return drain() }
        // One operation for each set: on a serial queue a value is delivered before what its setter adds
        // afterwards, and one operation that a `cancelAllOperations` threw away does not stop the later ones.
        queue.addOperation { self.drain() }
    }

    var isEnded: Bool { state.withLock { $0.handler == nil } }

    func cancel() {
        let isDelivering = end()
        guard isDelivering, !DeliveringThread.isDelivering else { return }
        let waiter = DispatchSemaphore(value: 0)
        if state.withLock({ $0.waitForDelivery(waiter) }) { waiter.wait() }
    }

    /// Ends the observation without waiting for a delivery in flight; returns whether there is one.
    @discardableResult
    func end() -> Bool {
        state.withLock { $0.cancel() }.isDelivering
    }

    func sourceEnded() { end() }

    /// Ends the observation if its target has gone away.
    func endIfAbandoned() {
        // Looked at after unlocking: reading a weak reference may make us the last to hold the target.
        let handler = state.withLock { $0.handler }
        if let handler, handler.isAbandoned { end() }
    }

    func drain() {
        guard let step = state.withLock({ $0.begin() }) else { return }
        run(from: step)
    }

    func run(from first: DeliveryState<Value>.Step) {
        DeliveringThread.enter()
        let waiters = deliver(from: first)
        DeliveringThread.leave()
        for waiter in waiters { waiter.signal() }
    }

    /// Not inlined, so that it releases the user's objects before those who cancelled are signalled.
    func deliver(from first: consuming DeliveryState<Value>.Step) -> [DispatchSemaphore] {
        var step = first
        while true {
            switch step {
            case .deliver(let value, let handler):
                if !handler(value) { end() }
                step = state.withLock { $0.proceed() }
            case .end(let waiters):
                return waiters
            }
        }
    }
}
