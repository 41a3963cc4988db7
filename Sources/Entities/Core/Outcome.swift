/// The answer to an ask, from the core to the response.
package enum Outcome: Sendable {
    /// The ask is done. The state is committed.
    case done(EntityState)
    /// The ask is refused, and nothing has changed. The state is committed.
    case refused(Refusal, EntityState)
    /// The key has a stored outcome, which is given again.
    case replayed(Remembered)
    /// The action failed, and nothing has changed.
    case failed(Failure)
    /// The ask did not happen, or its outcome is unknown.
    case unavailable(Unavailable)

    /// Why an ask is refused.
    package enum Refusal: Sendable {
        /// The view model refuses the action.
        case action(any Error)
        /// The action makes an entity that exists already (409).
        case exists
        /// The view model has no stamp of `If-Match` (412).
        case preconditionFailed
        /// The key was used for another request (422).
        case keyMismatch
    }

    /// Why an action failed.
    package enum Failure: Sendable {
        /// The action or an output threw an error, such as ``ModelUnreadable`` (500).
        case action(any Error)
        /// The action passed its deadline (504).
        case timedOut
        /// The entity would have more bytes than a row may have (500).
        case tooLarge
    }

    /// Why an ask did not happen.
    package enum Unavailable: Error {
        /// The session has ended (401).
        case ended
        /// There is no such named entity (404).
        case missing
        /// The entity has too many unanswered asks (429).
        case queueFull
        /// The action would start more effects than an entity may have (503).
        case tooManyEffects
        /// The entity remembers too many keys (429).
        case tooManyKeys
        /// Other commits changed the entity at each attempt, or during an action that is not repeated (503).
        case conflict
        /// The store does not answer; the ask did not happen (503).
        case storeAway
        /// The store did not say whether the change is stored (503). A retry with the same key gets the outcome.
        case outcomeUnknown
        /// The executor is full (503).
        case busy
        /// The limit of entities in memory is reached, and all are in use (503).
        case full

        /// The seconds after which the client may ask again.
        package var retryAfter: Int { [.storeAway, .outcomeUnknown, .full].contains(self) ? 2 : 1 }
    }
}
