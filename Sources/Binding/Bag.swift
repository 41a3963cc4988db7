import Locking

/// Holds observers and cancels them when it goes away.
///
/// A view keeps one beside what it binds: `private var bag = Bag()`; a new Bag in its place ends the old bindings.
/// Safe from any thread. Going away waits for deliveries in flight as ``Observer/cancel()`` does.
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

    /// Cancels what is in the bag and empties it; the bag can be used again.
    public func cancel() {
        var all: [Observer] = []
        observers.withLock { swap(&$0, &all) }
        for observer in all { observer.cancel() }
    }
}
