/// A change that the store writes as a whole, or the end of the entity, if its row still has the stamp `base`.
package final class Commit: Sendable {
    package let id: EntityID
    /// The stamp that the row must have; nil if the row must not exist.
    package let base: Stamp?
    /// The state after the commit; for an end, the last state.
    package let state: EntityState
    /// The key and its outcome, stored with the commit.
    package let key: StoredKey?
    /// Whether the store deletes the entity and its keys, and stores nothing.
    package let isEnd: Bool

    /// The row after the commit; each call makes it anew, on any thread.
    package var row: StoredEntity { state.row(id) }

    package init(id: EntityID, base: Stamp?, state: EntityState, key: StoredKey? = nil, isEnd: Bool = false) {
        (self.id, self.base, self.state, self.key, self.isEnd) = (id, base, state, key, isEnd)
    }
}

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

/// An input of the core; its number is that of the answered order.
package enum Event: Sendable {
    /// A client asks.
    case ask(Ask)
    /// An action has returned or thrown, or its deadline has passed.
    case ran(UInt64, Result<Changes, ActionError>)
    /// The store has answered a commit.
    case committed(UInt64, CommitResult)
    /// The store has read the entity.
    case loaded(UInt64, ReadResult<EntityState>)
    /// The store has looked at the entity's head.
    case head(UInt64, ReadResult<Stamp>)
    /// The store has looked for a key.
    case lookedUp(UInt64, KeyResult)
}

/// A state that clients may see now.
package struct Publication: Sendable {
    package let state: EntityState
    /// The seq of the state that was published before; nil if the states have no common lineage.
    package let since: UInt64?
    /// The notifications that the actions posted.
    package let posts: [Post]
    package let isEnd: Bool
}

/// An output of the core; the driver carries the orders out in their order.
package enum Order: Sendable {
    /// Run the ask on this state.
    case run(UInt64, Ask, on: EntityState)
    /// Give the commit to the store.
    case submit(UInt64, Commit)
    /// Read the entity from the store.
    case load(UInt64)
    /// Look at the entity's head in the store.
    case checkHead(UInt64)
    /// Look for a key in the store.
    case lookUp(UInt64, KeyDigest)
    /// Run the effect; the commit that counts this attempt is stored.
    case perform(StoredEffect)
    /// Notify the observers.
    case publish(Publication)
    /// Answer the ask.
    case answer(Ask, Outcome)
}
