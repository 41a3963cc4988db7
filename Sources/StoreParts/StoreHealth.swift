import Entities
import Locking

/// The events of a store for the log.
package enum StoreEvent: Sendable, Equatable {
    /// The store does not take commits any more (`store-lost`); the reason is for the operator.
    case lost(reason: String)
    /// The store takes commits again (`store-back`), after this time.
    case back(after: Duration)
    /// A row has a form that this build cannot read.
    case unreadable(EntityID)
}

/// Whether a store works, by the result of its last transaction.
package final class StoreHealth: Sendable {
    private let state = Lock<(lostSince: ContinuousClock.Instant?, busySince: ContinuousClock.Instant?)>((nil, nil))
    private let tell: @Sendable (StoreEvent) -> Void

    /// Makes the health of a store that works.
    ///
    /// - Parameter tell: called on the thread that detects a change.
    package init(tell: @escaping @Sendable (StoreEvent) -> Void) { self.tell = tell }

    /// A transaction begins.
    package func begin() { state.withLock { $0.busySince = .now } }

    /// A transaction has ended.
    ///
    /// - Parameter failure: the reason if it failed; nil if it was stored.
    package func end(_ failure: String?) {
        let event = state.withLock { state -> StoreEvent? in
            state.busySince = nil
            switch (state.lostSince, failure) {
            case (nil, let reason?):
                state.lostSince = .now
                return .lost(reason: reason)
            case (let start?, nil):
                state.lostSince = nil
                return .back(after: .now - start)
            default: return nil
            }
        }
        if let event { tell(event) }
    }

    /// Whether the last transaction failed.
    package var isLost: Bool { state.withLock { $0.lostSince != nil } }

    /// The age of the present transaction; it grows while a disk or a server hangs.
    package var busyTime: Duration { state.withLock { $0.busySince }.map { .now - $0 } ?? .zero }
}
