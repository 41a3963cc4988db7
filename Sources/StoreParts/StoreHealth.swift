import Entities
import Locking

/// What a store tells the log.
package enum StoreEvent: Sendable, Equatable {
    /// The store does not take commits any more (`store-lost`); the reason is for the operator.
    case lost(reason: String)
    /// The store takes commits again (`store-back`), after this time.
    case back(after: Duration)
    /// A row has a form that this build cannot read.
    case unreadable(EntityID)
}

/// Whether a store works, as its last transaction showed.
package final class StoreHealth: Sendable {
    private let state = Lock<(lostSince: ContinuousClock.Instant?, busySince: ContinuousClock.Instant?)>((nil, nil))
    private let tell: @Sendable (StoreEvent) -> Void

    /// Makes the health of a store that works.
    ///
    /// - Parameter tell: called on the thread that finds out.
    package init(tell: @escaping @Sendable (StoreEvent) -> Void) { self.tell = tell }

    /// A transaction begins.
    package func begin() { state.withLock { $0.busySince = .now } }

    /// A transaction has ended.
    ///
    /// - Parameter failure: why the store did not take it; nil where it did.
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

    /// How long the present transaction has run: a disk or a server may hang.
    package var busyTime: Duration { state.withLock { $0.busySince }.map { .now - $0 } ?? .zero }
}
