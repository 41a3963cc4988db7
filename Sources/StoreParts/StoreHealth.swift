import Dispatch
import Entities
import Synchronization

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
///
/// One thread at a time writes it, and any thread reads it.
package final class StoreHealth: Sendable {
    /// When the present transaction began, and when the first failure came, in nanoseconds of uptime; 0 for none.
    private let busySince = Atomic<UInt64>(0)
    private let lostSince = Atomic<UInt64>(0)
    private let tell: @Sendable (StoreEvent) -> Void

    /// Makes the health of a store that works.
    ///
    /// - Parameter tell: called on the thread that detects a change.
    package init(tell: @escaping @Sendable (StoreEvent) -> Void) { self.tell = tell }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// A transaction begins.
    package func begin() { busySince.store(Self.now, ordering: .relaxed) }

    /// A transaction has ended.
    ///
    /// - Parameter failure: the reason if it failed; nil if it was stored.
    package func end(_ failure: String?) {
        busySince.store(0, ordering: .relaxed)
        let lost = lostSince.load(ordering: .relaxed)
        if let failure, lost == 0 {
            lostSince.store(Self.now, ordering: .relaxed)
            tell(.lost(reason: failure))
        } else if failure == nil, lost > 0 {
            lostSince.store(0, ordering: .relaxed)
            tell(.back(after: .nanoseconds(Self.now - lost)))
        }
    }

    /// Whether the last transaction failed.
    package var isLost: Bool { lostSince.load(ordering: .relaxed) > 0 }

    /// The age of the present transaction; it grows while a disk or a server hangs.
    package var busyTime: Duration {
        let start = busySince.load(ordering: .relaxed)
        return start > 0 ? .nanoseconds(max(Self.now, start) - start) : .zero
    }
}
