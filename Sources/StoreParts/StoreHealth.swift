import Entities
import Locking
import Synchronization

/// What a store tells the log.
package enum StoreEvent: Sendable, Equatable {
    /// The store does not take commits any more (`store-lost`); the reason is for the operator.
    case lost(reason: String)
    /// The store takes commits again (`store-back`), after this time.
    case back(after: Duration)
    /// A commit was refused, because its entity would have this many bytes of state.
    case tooLarge(EntityID, bytes: Int)
    /// A row has a form that this build cannot read.
    case unreadable(EntityID)
}

/// Whether a store works, as its last transaction showed.
package final class StoreHealth: Sendable {
    private let lostSince = Lock<Duration?>(nil)
    /// Nanoseconds; zero while nothing is under way.
    private let busySince = Atomic<Int64>(0)
    private let now: @Sendable () -> Duration
    private let tell: @Sendable (StoreEvent) -> Void

    /// Makes the health of a store that works.
    ///
    /// - Parameters:
    ///   - now: a monotonic clock.
    ///   - tell: called on the thread that finds out.
    package init(now: @escaping @Sendable () -> Duration, tell: @escaping @Sendable (StoreEvent) -> Void) {
        (self.now, self.tell) = (now, tell)
    }

    /// A transaction begins.
    package func begin() { busySince.store(max(1, now().nanoseconds), ordering: .relaxed) }

    /// A transaction has ended.
    ///
    /// - Parameter failure: why the store did not take it; nil where it did.
    package func end(_ failure: String?) {
        busySince.store(0, ordering: .relaxed)
        let time = now()
        let event = lostSince.withLock { since -> StoreEvent? in
            switch (since, failure) {
            case (nil, let reason?):
                since = time
                return .lost(reason: reason)
            case (let start?, nil):
                since = nil
                return .back(after: time - start)
            default: return nil
            }
        }
        if let event { tell(event) }
    }

    /// Whether the last transaction failed.
    package var isLost: Bool { lostSince.withLock { $0 != nil } }

    /// How long the present transaction has run: a disk or a server may hang.
    package var busyTime: Duration {
        let start = busySince.load(ordering: .relaxed)
        return start == 0 ? .zero : now() - .nanoseconds(start)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
