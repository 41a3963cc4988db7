import Locking
import Synchronization

/// A report on an effect, for the log.
package struct EffectReport: Sendable {
    package enum Kind: Sendable {
        /// An attempt failed; if it is not the last one, another follows.
        case failed(any Error, isLast: Bool)
        /// This build does not know the effect, so it stays in the row.
        case unknown
    }

    package let kind: Kind
    package let effect: StoredEffect
    package let entity: EntityID
}

/// The running effects of a process, with their limit and their reports.
package final class EffectRunner: Sendable {
    /// Performs an action on another entity, once for each id of an effect.
    ///
    /// A structure, because each access to a bare closure in a ``Lock`` wraps it once more.
    package struct Act: Sendable {
        let run: @Sendable (StoredEffect, EntityID) async throws -> Void

        package init(_ run: @escaping @Sendable (StoredEffect, EntityID) async throws -> Void) { self.run = run }
    }

    /// How many attempts may run at a time.
    package let limit: Int
    /// Performs actions on other entities; the service sets it.
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

    /// Starts no more effects, because the process stops; the next process runs new ones.
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

    /// Ends an attempt that ``begin()`` counted.
    func end() { running.subtract(1, ordering: .relaxed) }

    /// Records the result of a look for due effects.
    func note(_ due: DueEntities) { lag.withLock { $0 = (due.ids.count, due.oldest) } }

    func report(_ kind: EffectReport.Kind, _ effect: StoredEffect, of entity: EntityID) {
        tell(EffectReport(kind: kind, effect: effect, entity: entity))
    }
}
