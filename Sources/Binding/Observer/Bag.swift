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
        // Those that have ended are looked for at each power of two; what was before is released after unlocking.
        _ = observers.withLock { observers -> [Observer] in
            defer { observers.append(observer) }
            let count = observers.count
            guard count >= 8, count & (count - 1) == 0 else { return [] }
            let before = observers
            observers = before.filter { !$0.isCancelled }
            return before
        }
    }

    /// Cancels what is in the bag and empties it; the bag can be used again.
    public func cancel() {
        var all: [Observer] = []
        observers.withLock { swap(&$0, &all) }
        for observer in all { observer.cancel() }
    }
}

/// What an ``Observer`` needs of the delivery behind it, whatever its value's type.
protocol Cancellable: AnyObject, Sendable {
    func cancel()
    var isEnded: Bool { get }
}
