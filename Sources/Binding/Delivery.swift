import Foundation
import Locking

/// Delivers the changes of one observation: each, in order, one at a time, in the setter's thread or on a queue.
final class Delivery<Value: Sendable>: Cancellable, Subscriber {
    private struct State {
        /// Nil at the end, so that an ended observation holds nothing of its user's.
        var handler: Handler<Value>?
        var pending: [Value] = []
        /// A thread is delivering; it takes what is added meanwhile.
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

    /// Delivers the first value, which was added, and what has come since.
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
        // One operation for each set: a serial queue delivers a value before what its setter adds later. A thrown
        // away operation (`cancelAllOperations`) does not stop the later ones.
        queue.addOperation { if self.begin() { self.run() } }
    }

    var isEnded: Bool { state.withLock { $0.handler == nil } }

    func cancel() {
        end()
        if !DeliveringThread.isDelivering { inFlight.wait() }
    }

    /// Ends the observation, and does not wait for a delivery in flight.
    func end() {
        // What it held is released after unlocking.
        _ = state.withLock { state in
            defer { (state.handler, state.pending) = (nil, []) }
            return (state.handler, state.pending)
        }
    }

    /// Claims the deliveries for this thread; false when another has them.
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

    /// Not inlined, so that it has released the user's objects when `cancel()` goes on.
    @inline(never)
    private func deliverPending() {
        while let values = takePending() {
            for value in values {
                guard let handler = state.withLock({ $0.handler }) else { break }
                if !handler.deliver(value) { end() }
            }
        }
    }

    /// The values to deliver; nil, and the deliveries are free again, when there are none.
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

/// The closure that a delivery calls: the one place where what a user hands over crosses threads.
///
/// `@unchecked Sendable`: targets are ordinary classes and closures capture what they like, so the compiler cannot
/// check them. ``Delivery`` calls the closure from one thread at a time, with a lock between any two calls. The user
/// chooses the thread, as ``Observer`` says.
struct Handler<Value>: @unchecked Sendable {
    /// The center observed through, which lives as long as the observation.
    let center: NotificationCenter?
    /// Delivers a value; false when target or source has gone away.
    let deliver: (Value) -> Bool
}

/// A closure that delivers to a target, which is held weakly.
func writer<Target: AnyObject, Value>(
    to target: Target, _ write: @escaping (Target, Value) -> Void
) -> (Value) -> Bool {
    { [weak target] value in
        guard let target else { return false }
        write(target, value)
        return true
    }
}

/// Knows whether the current thread is inside of a delivery, of any observation.
///
/// A cancel from inside of a delivery must not wait for another delivery: two that cancel one another would wait
/// for ever. Thread-local by pthread, since a delivery is synchronous and `Thread.current` is slower than it.
private enum DeliveringThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only when the process has used up its keys (1,024 on Linux), before which nothing here can work.
        guard pthread_key_create(&key, nil) == 0 else { fatalError("no thread-local key left") }
        return key
    }()

    static var isDelivering: Bool { depth > 0 }

    /// Kept in the pointer itself: nothing is allocated for a thread.
    static var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }
}
