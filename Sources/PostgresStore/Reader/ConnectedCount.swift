import Synchronization

/// How many of some threads have a connection.
final class ConnectedCount: Sendable {
    private let count = Atomic(0)

    /// Whether any has.
    var isAny: Bool { count.load(ordering: .relaxed) > 0 }

    /// Notes that more of them have one, or fewer.
    func add(_ change: Int) { count.add(change, ordering: .relaxed) }
}
