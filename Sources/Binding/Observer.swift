/// An observation at work, a binding or a closure that is told of changes, and the means to cancel it.
///
/// **What ends it.** `cancel()`; its ``Bag`` going away; the target going away; the source going away, which is the
/// Variable, or the object whose property is observed. Target and source are held weakly. Dropping the Observer
/// ends nothing. Changes that were not yet delivered when it ended are dropped.
///
/// **Where.** With no queue, in the setter's thread; when several threads set at once, the one that is already
/// delivering delivers for the others, in order, and their setters return. With a queue, there, and no setter ever
/// waits for it. The current value is delivered before `observe` returns, or goes on the queue.
/// Targets and closures need not be Sendable. The setter, or the queue given to `observe`, chooses the thread of the
/// delivery. The target must be safe to use in that thread.
///
/// **Order.** Every change is delivered, in the order of the sets, one at a time, on a concurrent queue too. A set from
/// inside an observer of the same Variable is delivered after the delivery under way.
///
/// **Cancelling.** After `cancel()` returns no delivery starts, and one in flight in another thread has finished. The
/// exception is a cancel from inside a delivery, of this observation or any other: it does not wait, since two that
/// cancel one another would wait for ever. As with any wait, do not cancel while holding a lock that the observer takes.
public struct Observer: Sendable {
    let delivery: any Cancellable

    init(delivery: any Cancellable) {
        self.delivery = delivery
    }

    /// Ends the observation.
    ///
    /// Safe from any thread and more than once; see ``Observer`` for what it waits for.
    public func cancel() {
        delivery.cancel()
    }

    /// Whether it has ended.
    ///
    /// That a target went away is noticed when the next change is to be delivered.
    public var isCancelled: Bool { delivery.isEnded }

    /// Ends the observation when `bag` goes away.
    public func disposed(by bag: Bag) {
        bag.insert(self)
    }
}

/// What an ``Observer`` needs of the delivery behind it, whatever its value's type.
protocol Cancellable: AnyObject, Sendable {
    func cancel()
    var isEnded: Bool { get }
}
