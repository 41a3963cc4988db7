/// A request to an entity, which gets one answer; an object, because the core copies it often.
package final class Ask: Sendable {
    package enum Kind: Sendable {
        /// The committed state, no older than the ask.
        case view
        /// An action.
        case action(Call)
        /// A change of the outputs' language.
        case language(InitialParts)
        /// A step of an effect without a result for the view model.
        case effect(EffectStep)
        /// The end of the entity.
        case end
    }

    package let kind: Kind
    package let key: AskKey?
    /// The stamps of an `If-Match`, nil for no condition; the view model must have one of them.
    package let match: [Stamp]?
    /// Takes the answer: called once, on any thread, with no lock held.
    package let answer: @Sendable (Outcome) -> Void
    /// How often the ask ran on an old state.
    let attempts: Int

    package init(
        _ kind: Kind, key: AskKey? = nil, match: [Stamp]? = nil, answer: @escaping @Sendable (Outcome) -> Void
    ) {
        (self.kind, self.key, self.match, self.answer) = (kind, key, match, answer)
        attempts = 0
    }

    private init(again ask: Ask) {
        (kind, key, match, answer, attempts) = (ask.kind, ask.key, ask.match, ask.answer, ask.attempts + 1)
    }

    /// The ask for its next attempt, after it ran on an old state.
    func again() -> Ask { Ask(again: self) }

    /// Whether the ask keeps the turn while it runs elsewhere; a slow ask is never repeated.
    var isSlow: Bool { if case .action(let call) = kind { call.isSlow } else { false } }

    /// The step of an effect that the ask takes.
    var step: EffectStep? {
        switch kind {
        case .effect(let step): step
        case .action(let call): call.step
        case .view, .language, .end: nil
        }
    }

    var isView: Bool { if case .view = kind { true } else { false } }
}

/// The `Idempotency-Key` of an action.
package struct AskKey: Sendable {
    /// Names the key within its entity.
    package let digest: KeyDigest
    /// The HMAC of path and body, under token and key.
    package let request: [UInt8]
    /// How long the outcome is kept.
    package let window: Duration
    /// Makes the stored form of an outcome, as a pure function; nil for an outcome that is not stored.
    package let remember: @Sendable (Outcome) -> Remembered?

    package init(
        digest: KeyDigest, request: [UInt8], window: Duration, remember: @escaping @Sendable (Outcome) -> Remembered?
    ) {
        (self.digest, self.request, self.window, self.remember) = (digest, request, window, remember)
    }

    func stored(_ outcome: Outcome) -> StoredKey? {
        remember(outcome).map { StoredKey(digest: digest, request: request, remembered: $0, window: window) }
    }
}

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
