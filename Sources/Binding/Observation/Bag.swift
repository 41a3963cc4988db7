/// Holds observations and cancels them when it goes away.
///
/// A view keeps one beside what it binds: `private var bag = Bag()`; a new Bag in its place ends the old bindings.
/// Safe from any thread. Going away waits for deliveries in flight as ``Observation/cancel()`` does.
public final class Bag: Sendable {
    private let observations = Lock<[Observation]>([])

    /// Makes an empty bag.
    public init() {}

    deinit {
        cancel()
    }

    /// Puts an observation into the bag.
    public func insert(_ observation: Observation) {
        // What is removed has ended, and holds nothing of its user's that could be released under the lock.
        observations.withLock { observations in
            let count = observations.count
            if count >= 8, count & (count - 1) == 0 { observations.removeAll(where: \.isCancelled) }
            observations.append(observation)
        }
    }

    /// Cancels what is in the bag and empties it; the bag can be used again.
    public func cancel() {
        for observation in observations.withLock({ $0.drain() }) { observation.cancel() }
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
