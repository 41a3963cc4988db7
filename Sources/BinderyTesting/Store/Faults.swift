import Entities

/// The faults of the store of a ``TestServer``; the test sets them.
///
/// ```swift
/// server.faults.loseNextCommit(isStored: true)
/// let error = await #expect(throws: RemoteProblem.self) { try await machine.act("take", key: "a") }
/// #expect(error?.type == "/problems/outcome-unknown")
/// try await machine.act("take", key: "a")  // is done once
/// ```
public struct Faults: Sendable {
    let store: FaultyStore

    /// Makes the store refuse the next commit: the action gets 503 and changes nothing.
    public func failNextCommit() { store.next(.refused) }

    /// Loses the store's answer to the next commit, so the server does not know whether the commit is stored.
    public func loseNextCommit(isStored: Bool) { store.next(isStored ? .unanswered : .lost) }

    /// Whether the store is unavailable; then every call fails.
    public var isStoreAway: Bool {
        get { store.isAway }
        nonmutating set { store.isAway = newValue }
    }

    /// Whether the store delays commits; on a change to false, it takes the waiting commits in their order.
    public var delaysCommits: Bool {
        get { store.isHeld }
        nonmutating set { store.isHeld = newValue }
    }

    /// The present rows of the store, as a backup.
    public func backup() -> StoreBackup { StoreBackup(table: store.table) }

    /// Restores a backup, but the server does not notice; ``TestServer/restart(viewModels:)`` makes it read the rows.
    public func restore(_ backup: StoreBackup) { store.table = backup.table }
}

/// A copy of the rows of a store.
public struct StoreBackup: Sendable {
    let table: MemoryTable
}
