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
        // What is removed has ended, and holds nothing of its user's that could be released under the lock.
        observers.withLock { observers in
            let count = observers.count
            if count >= 8, count & (count - 1) == 0 { observers.removeAll(where: \.isCancelled) }
            observers.append(observer)
        }
    }

    /// Cancels what is in the bag and empties it; the bag can be used again.
    public func cancel() {
        for observer in observers.withLock({ $0.drain() }) { observer.cancel() }
    }
}

extension Array {
    /// Empties the array and returns what was in it.
    fileprivate mutating func drain() -> [Element] {
        let all = self
        self = []
        return all
    }
}
