import Locking
import Synchronization

/// What the log says of an effect.
package struct EffectReport: Sendable {
    package enum Kind: Sendable {
        /// An attempt failed; another one follows, or none.
        case failed(any Error, isLast: Bool)
        /// This build does not know the effect, which stays.
        case unknown
    }

    package let kind: Kind
    package let effect: StoredEffect
    package let entity: EntityID
}

/// The effects of a process: how many run, and what becomes of them.
package final class EffectRunner: Sendable {
    /// Does an action on another entity, once for each id of an effect.
    ///
    /// A structure, because each access to a closure that stands in a ``Lock`` by itself wraps it once more.
    package struct Act: Sendable {
        let run: @Sendable (StoredEffect, EntityID) async throws -> Void

        package init(_ run: @escaping @Sendable (StoredEffect, EntityID) async throws -> Void) { self.run = run }
    }

    /// How many may run at a time.
    package let limit: Int
    /// Does actions on other entities; the service sets it.
    package let act = Lock(Act { _, _ in throw EffectFault.lost })
    private let held: Atomic<Bool>
    private let tell: @Sendable (EffectReport) -> Void
    private let running = Atomic(0)
    private let lag = Lock((count: 0, oldest: Duration.zero))

    package init(isHeld: Bool = false, limit: Int = 512, tell: @escaping @Sendable (EffectReport) -> Void = { _ in }) {
        (self.limit, self.tell) = (limit, tell)
        held = Atomic(isHeld)
    }

    /// Whether this process starts no effects, as after the restore of a backup.
    package var isHeld: Bool { held.load(ordering: .relaxed) }

    /// Starts no more effects, since the process stops; those that actions start are for the next one.
    package func hold() { held.store(true, ordering: .relaxed) }

    /// How many attempts run, or wait for the commit of their result.
    package var runningCount: Int { running.load(ordering: .relaxed) }
    /// How many entities with due effects the last look found, and how long the oldest effect had been due.
    package var due: (count: Int, oldest: Duration) { lag.withLock { $0 } }

    /// How many more attempts may begin.
    var room: Int { isHeld ? 0 : max(0, limit - runningCount) }

    /// Counts an attempt; false at the limit.
    func begin() -> Bool {
        if running.add(1, ordering: .relaxed).oldValue < limit { return true }
        end()
        return false
    }

    /// An attempt that ``begin()`` counted has ended.
    func end() { running.subtract(1, ordering: .relaxed) }

    /// Notes what a look at the store found.
    func note(_ due: DueEntities) { lag.withLock { $0 = (due.ids.count, due.oldest) } }

    func report(_ kind: EffectReport.Kind, _ effect: StoredEffect, of entity: EntityID) {
        tell(EffectReport(kind: kind, effect: effect, entity: entity))
    }
}
