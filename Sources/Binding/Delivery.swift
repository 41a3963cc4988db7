import Foundation
import Locking

/// Delivers all changes of one observation, in order, one at a time, on the setter's thread or on a queue.
final class Delivery<Value: Sendable>: Cancellable, Subscriber {
    private struct State {
        /// Nil after the end, so that an ended observation releases the user's objects.
        var handler: Handler<Value>?
        var pending: [Value] = []
        /// Whether a thread delivers; it also delivers values that other threads add meanwhile.
        var isDelivering = false
    }

    private let state: Lock<State>
    private let queue: OperationQueue?
    /// Entered while a thread delivers.
    private let inFlight = DispatchGroup()

    init(_ handler: Handler<Value>, on queue: OperationQueue?) {
        self.queue = queue
        state = Lock(State(handler: handler))
        // This thread delivers the current value, before a setter can deliver the next.
        if queue == nil { _ = begin() }
    }

    /// Delivers the first value, and all values that came after it.
    func start() {
        if queue == nil { run() } else { flush() }
    }

    func enqueue(_ value: Value) -> Bool {
        state.withLock { state in
            guard state.handler != nil else { return false }
            state.pending.append(value)
            return true
        }
    }

    func flush() {
        guard let queue else {
            if begin() { run() }
            return
        }
        // One operation for each set: a serial queue then delivers a value before later operations of the setter. If
        // the user cancels an operation (`cancelAllOperations`), later ones still deliver.
        queue.addOperation { if self.begin() { self.run() } }
    }

    var isEnded: Bool { state.withLock { $0.handler == nil } }

    func cancel() {
        end()
        if !DeliveringThread.isDelivering { inFlight.wait() }
    }

    /// Ends the observation without waiting for a running delivery.
    func end() {
        // Release the user's objects after unlocking.
        _ = state.withLock { state in
            defer { (state.handler, state.pending) = (nil, []) }
            return (state.handler, state.pending)
        }
    }

    /// Claims the deliveries for this thread; false if another thread has them.
    private func begin() -> Bool {
        state.withLock { state in
            guard !state.isDelivering else { return false }
            state.isDelivering = true
            inFlight.enter()
            return true
        }
    }

    private func run() {
        DeliveringThread.depth += 1
        deliverPending()
        DeliveringThread.depth -= 1
        inFlight.leave()
    }

    /// Not inlined, so that it releases the user's objects before `cancel()` continues.
    @inline(never)
    private func deliverPending() {
        while let values = takePending() {
            for value in values {
                guard let handler = state.withLock({ $0.handler }) else { break }
                if !handler.deliver(value) { end() }
            }
        }
    }

    /// Takes the values to deliver; without any it gives up the claim and returns nil.
    private func takePending() -> [Value]? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.isDelivering = false
                return nil
            }
            defer { state.pending = [] }
            return state.pending
        }
    }
}

/// The closure that a delivery calls: only here do the user's objects cross threads.
///
/// `@unchecked Sendable`: the compiler cannot check the target's class or the captures of the closure. ``Delivery``
/// calls the closure on one thread at a time, and takes a lock between two calls. The user chooses the thread
/// (``Observer``).
struct Handler<Value>: @unchecked Sendable {
    /// The center of the observation, which keeps it alive.
    let center: NotificationCenter?
    /// Delivers a value; false if target or source is released.
    let deliver: (Value) -> Bool
}

/// Makes a closure that delivers to a target, with a weak reference to it.
func writer<Target: AnyObject, Value>(
    to target: Target, _ write: @escaping (Target, Value) -> Void
) -> (Value) -> Bool {
    { [weak target] value in
        guard let target else { return false }
        write(target, value)
        return true
    }
}

/// Knows whether the current thread is inside a delivery of any observation.
///
/// A cancel inside a delivery must not wait for another delivery: two deliveries that cancel each other would deadlock.
/// The value is in a pthread key, because `Thread.current` is slower than a delivery.
private enum DeliveringThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only if the process has used up its keys (1,024 on Linux).
        guard pthread_key_create(&key, nil) == 0 else { fatalError("no thread-local key left") }
        return key
    }()

    static var isDelivering: Bool { depth > 0 }

    /// The pointer itself has the number, so a thread allocates nothing.
    static var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }
}
