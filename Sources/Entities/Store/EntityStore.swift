/// A store of entities; one contract suite runs over every store.
///
/// - The store compares and sets. If the row's stamp is the commit's base, ``submit(_:then:)`` writes row and key as a whole.
///   Afterwards every process that shares the store loads the new state, also after a crash.
/// - The store takes commits of one entity in the order of ``submit(_:then:)``. A base may be the stamp of a pending
///   commit. If that commit is not stored, no commit based on it is stored. So a stored commit implies its predecessors.
///   The store may write the commits of a group as one `UPDATE`, from the first base to the last head.
/// - One key has one outcome. The core looks for a key after it has read the state for the commit. So the store need not
///   look again.
/// - The store uses its own clock for all times.
/// - Each method is safe on any thread, and returns at once. A store calls back once, on any thread, perhaps before the method
///   returns. It answers the writes of one entity in their order; a read may overtake them. A callback must not block, because
///   later writes may wait for it. Observers run in the callback.
package protocol EntityStore: AnyObject, Sendable {
    /// Whether other processes write to it. Then the core looks at heads before it answers reads.
    ///
    /// After ``CommitResult/unknown``, a store for one process never writes that commit; only a restart may find it.
    var isShared: Bool { get }

    /// The time by the store's clock, as far as this process knows.
    var now: Duration { get }

    /// Stores one commit, or ends its entity. The store groups the commits that wait.
    func submit(_ commit: Commit, then done: @escaping @Sendable (CommitResult) -> Void)

    func load(_ id: EntityID, then done: @escaping @Sendable (ReadResult<StoredEntity>) -> Void)

    /// Reads the stamp of one entity's row. A shared store asks for all waiting entities in one statement.
    func head(of id: EntityID, then done: @escaping @Sendable (ReadResult<Stamp>) -> Void)

    /// Looks for a key that has not expired, and counts the other such keys of its caller if it is missing.
    func lookUp(_ key: KeyDigest, in id: EntityID, then done: @escaping @Sendable (KeyResult) -> Void)

    /// Records that these entities are in use now. Missing entities are no error; a failure only loses the record.
    func touch(_ ids: [EntityID])

    /// Deletes entities that are unused for `ttl`, and expired keys, at most `limit` of each.
    ///
    /// Entities that do not expire stay (``EntityID/expires``).
    func expire(unusedFor ttl: Duration, limit: Int, then done: @escaping @Sendable (Expired) -> Void)

    /// Finds the private sessions of a user, the last used first; nil if the store does not answer.
    func sessions(of user: String, limit: Int, then done: @escaping @Sendable ([EntityID]?) -> Void)

    /// Takes entities with a due effect, the longest due first; nil if the store does not answer.
    ///
    /// No process finds them again for `lease`, unless a commit sets another time.
    func takeDue(limit: Int, for lease: Duration, then done: @escaping @Sendable (DueEntities?) -> Void)

    /// Reports commits and ends of other processes, as hints that may be lost, doubled or late.
    ///
    /// - Parameter moved: called on any thread with the entity; with nil if hints may have been lost. Must not block.
    func observe(_ moved: @escaping @Sendable (EntityID?) -> Void)

    /// Whether the store can take commits now.
    func isReady(then done: @escaping @Sendable (Bool) -> Void)

    /// Writes the submitted commits, then closes files and connections. The caller does not use the store afterwards.
    func close(then done: @escaping @Sendable () -> Void)
}

/// The result of housekeeping.
package struct Expired: Sendable, Equatable {
    /// The deleted entities.
    package var ended: [EntityID] = []
    /// Whether a limit was reached, so that the store may have more to delete.
    package var mayHaveMore = false

    /// Makes the result of one call; without arguments, of a failed call.
    package init(ended: [EntityID] = [], mayHaveMore: Bool = false) {
        (self.ended, self.mayHaveMore) = (ended, mayHaveMore)
    }
}

/// Entities with effects that are due.
package struct DueEntities: Sendable {
    package let ids: [EntityID]
    /// The time by the store's clock.
    package let now: Duration
    /// How long the oldest of their effects has been due.
    package let oldest: Duration

    /// Makes the result of a look.
    ///
    /// - Parameter first: the time of the oldest effect, in milliseconds; nil for none.
    package init(_ ids: [EntityID], now: Duration, first: Int64?) {
        (self.ids, self.now) = (ids, now)
        oldest = first.map { now - .milliseconds($0) } ?? .zero
    }
}

/// The result of a read.
package enum ReadResult<Value: Sendable>: Sendable {
    /// The store has it.
    case found(Value)
    /// The store does not have it.
    case missing
    /// The store does not answer, or cannot read it.
    case failed

    /// The answer of a store that looked.
    package init(_ value: Value?) { self = value.map { .found($0) } ?? .missing }

    /// The same result with another value.
    package func map<Other>(_ transform: (Value) -> Other) -> ReadResult<Other> {
        switch self {
        case .found(let value): .found(transform(value))
        case .missing: .missing
        case .failed: .failed
        }
    }
}

extension ReadResult: Equatable where Value: Equatable {}

/// The store's answer to a commit.
package enum CommitResult: Sendable {
    /// The commit is stored, and so is each commit that it builds on.
    case stored
    /// The row has another stamp than the commit's base. The commit is not stored and never will be.
    case conflict
    /// The store did not take the commit. It is not stored and never will be.
    case refused
    /// The commit may be stored, now or later.
    case unknown
}

/// The result of a look for a key.
package enum KeyResult: Sendable {
    /// The key has an outcome.
    case found(StoredKey)
    /// The entity has no such key, but this many others.
    case missing(count: Int)
    /// The store does not answer.
    case failed
}
