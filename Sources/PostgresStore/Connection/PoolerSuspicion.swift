import Synchronization

/// Whether a connection of a store met what only a pooler by transactions does: a pooler may become one while it is used.
///
/// Then no connection is used any more that there was, and each new one only once ``PoolerCheck`` has found none.
final class PoolerSuspicion: Sendable {
    private let count = Atomic(0)
    private let dispelled = Atomic(0)

    /// How many there have been.
    var latest: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Whether the latest one stands.
    var isAny: Bool { latest > dispelled.load(ordering: .sequentiallyConsistent) }

    /// A connection that was made after so many has met it.
    func note(after known: Int) {
        _ = count.compareExchange(expected: known, desired: known + 1, ordering: .sequentiallyConsistent)
    }

    /// A check that began after so many has found no pooler.
    func dispel(upTo known: Int) { dispelled.store(known, ordering: .sequentiallyConsistent) }
}
