import Dispatch
import Entities
import Locking

/// What the threads of a store share.
struct Common: Sendable {
    let target: Target
    let schema: Schema
    let settings: PostgresStore.Settings
    let answers = Answers()
    let doubts = Doubts()

    /// A connection for one thread.
    func link() -> Link { Link(target, patience: settings.patience) }
}

/// Calls back in the order in which results come, on a thread that neither reads nor writes.
///
/// One thread at a time, so the callbacks of one entity keep their order.
final class Answers: Sendable {
    private let queue = DispatchQueue(label: "store-answers", qos: .userInitiated)

    /// Runs callbacks, after those that were given before.
    func give(_ callbacks: @escaping @Sendable () -> Void) { queue.async(execute: callbacks) }
}

/// Entities with an unknown commit that nobody has loaded since: their commits are refused.
final class Doubts: Sendable {
    private let ids = Lock<Set<EntityID>>([])

    /// The entities.
    var all: Set<EntityID> { ids.withLock { $0 } }

    /// A commit of the entity is unknown.
    func add(_ id: EntityID) { ids.withLock { _ = $0.insert(id) } }

    /// The entities were loaded.
    func remove(_ loaded: some Sequence<EntityID>) {
        ids.withLock { ids in if !ids.isEmpty { ids.subtract(loaded) } }
    }
}
