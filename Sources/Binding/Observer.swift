/// A running observation, with a binding or a closure, that can be cancelled.
///
/// **End.** The observation ends by `cancel()`, or when its ``Bag``, its target or its source is released. The source
/// is the Variable, or the object with the observed property. References to target and source are weak. If you drop the
/// Observer, the observation continues. The end drops all changes that are not delivered.
///
/// **Threads.** With a queue, the observation delivers on the queue, and no setter waits. Without a queue, it delivers
/// on the setter's thread. If several threads set at once, one of them delivers for all, in order, and the other
/// setters return. `observe` delivers the current value before it returns, or adds it to the queue. Targets and
/// closures need not be Sendable, but must be safe to use on the thread of the delivery.
///
/// **Order.** The observation delivers every change in the order of the sets, one at a time, also on a concurrent
/// queue. If an observer sets its own Variable, that change is delivered after the running delivery.
///
/// **Cancelling.** After `cancel()` returns, no delivery starts, and a running delivery on another thread has finished.
/// A cancel inside any delivery does not wait: two deliveries that cancel each other would deadlock. Do not cancel
/// while you hold a lock that the observer takes.
public struct Observer: Sendable {
    let delivery: any Cancellable

    init(delivery: any Cancellable) {
        self.delivery = delivery
    }

    /// Ends the observation.
    ///
    /// Safe on any thread, and more than once. ``Observer`` says what it waits for.
    public func cancel() {
        delivery.cancel()
    }

    /// Whether it has ended.
    ///
    /// The release of a target ends the observation at the next change.
    public var isCancelled: Bool { delivery.isEnded }

    /// Ends the observation when `bag` is released.
    public func disposed(by bag: Bag) {
        bag.insert(self)
    }
}

/// The part of a delivery that an ``Observer`` needs, without the type of its value.
protocol Cancellable: AnyObject, Sendable {
    func cancel()
    var isEnded: Bool { get }
}
