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
