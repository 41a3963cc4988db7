import Locking

/// Keeps observers, and cancels them when it is released.
///
/// A view has a bag for its bindings: `private var bag = Bag()`. If the view replaces the bag, the old bindings end.
/// Safe on any thread. The release of a bag waits for running deliveries as ``Observer/cancel()`` does.
public final class Bag: Sendable {
    private let observers = Lock<[Observer]>([])

    /// Makes an empty bag.
    public init() {}

    deinit {
        cancel()
    }

    /// Puts an observer into the bag.
    public func insert(_ observer: Observer) {
        observers.withLock { $0.append(observer) }
    }

    /// Cancels all observers and empties the bag, which can be used again.
    public func cancel() {
        var all: [Observer] = []
        observers.withLock { swap(&$0, &all) }
        for observer in all { observer.cancel() }
    }
}
