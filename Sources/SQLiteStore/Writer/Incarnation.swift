import Synchronization

/// The mark of what the file holds (``SessionStore/incarnation``), for all threads of a store.
final class Incarnation: Sendable {
    private let number = Atomic(UInt64.random(in: 1...UInt64.max))

    var current: UInt64 { number.load(ordering: .acquiring) }

    /// Another, because somebody else has written the file, and may have put it back.
    func renew() { number.store(UInt64.random(in: 1...UInt64.max), ordering: .releasing) }
}
