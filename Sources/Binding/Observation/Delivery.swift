import Foundation
import Synchronization

/// Delivers the changes of one observation: each, in order, one at a time, in the setter's thread or on a queue.
@usableFromInline
final class Delivery<Value: Sendable>: Cancellable {
    @usableFromInline let state: Mutex<DeliveryState<Value>>
    @usableFromInline let queue: OperationQueue?
    /// Takes the delivery off its source; nil once it has been.
    @usableFromInline let unsubscribe = Mutex<Unsubscribe?>(nil)

    @usableFromInline
    typealias Unsubscribe = @Sendable (Delivery) -> Void

    @inlinable
    init(handler: Handler<Value>, on queue: OperationQueue?) {
        self.queue = queue
        state = Mutex(DeliveryState(handler: handler, isDelivering: queue == nil))
    }

    /// Delivers the first value and what has come since.
    ///
    /// - Parameter unsubscribe: called once, with no lock held, when the observation is cancelled.
    @inlinable
    func start(unsubscribe: @escaping Unsubscribe) {
        self.unsubscribe.withLock { $0 = unsubscribe }
        if queue == nil { run(from: state.withLock { $0.proceed() }) } else { flush() }
        // It may have been cancelled before there was anything to take off.
        if isCancelled { takeOff() }
    }

    @inlinable
    func enqueue(_ value: Value) {
        state.withLock { $0.append(value) }
    }

    @inlinable
    func flush() {
        guard let queue else { return drain() }
        // One operation for each set: on a serial queue a value is delivered before what its setter adds
        // afterwards, and one operation that a `cancelAllOperations` threw away does not stop the later ones.
        queue.addOperation { self.drain() }
    }

    func sourceEnded() {
        end(waiter: nil)
    }

    var isAbandoned: Bool {
        // Looked at after unlocking: who looks at a weak reference may be the last to hold the target.
        let handler = state.withLock { $0.handler }
        return handler?.isAbandoned ?? true
    }

    @usableFromInline var isCancelled: Bool { state.withLock { $0.isCancelled } }

    @usableFromInline
    func cancel() {
        let waiter = DeliveringThread.isDelivering ? nil : DispatchSemaphore(value: 0)
        let wasDelivering = end(waiter: waiter)
        if wasDelivering { waiter?.wait() }
    }

    /// Ends the observation and returns whether a delivery is in flight.
    @usableFromInline
    @discardableResult
    func end(waiter: DispatchSemaphore?) -> Bool {
        let cancellation = state.withLock { $0.cancel(waiter: waiter) }
        takeOff()
        return cancellation.isDelivering
    }

    @usableFromInline
    func takeOff() {
        let unsubscribe = unsubscribe.withLock { $0.take() }
        unsubscribe?(self)
    }

    @inlinable
    func drain() {
        guard let step = state.withLock({ $0.begin() }) else { return }
        run(from: step)
    }

    @inlinable
    func run(from first: DeliveryState<Value>.Step) {
        DeliveringThread.enter()
        let waiters = deliver(from: first)
        DeliveringThread.leave()
        // The handler and what it captured have been let go by now: nothing of the user's outlives a cancel.
        for waiter in waiters { waiter.signal() }
    }

    @inlinable
    @inline(never)
    func deliver(from first: DeliveryState<Value>.Step) -> [DispatchSemaphore] {
        var step = first
        while true {
            switch step {
            case .deliver(let value, let handler):
                if !handler(value) { end(waiter: nil) }
                step = state.withLock { $0.proceed() }
            case .end(let waiters):
                return waiters
            }
        }
    }
}
