/// Names an `Idempotency-Key` within its entity, by hashes.
///
/// Each caller of a named entity has its own keys. No caller can replay another's answer, or use up its keys.
package struct KeyDigest: Hashable, Sendable {
    /// 8 bytes that all keys of a caller share, so that a store counts them by an index; then 24 of the key's SHA-256.
    package let bytes: [UInt8]

    /// Names a key.
    ///
    /// - Parameter caller: the id of the caller's session, for a named entity.
    package init(key: [UInt8], of caller: String?) {
        self.init(
            caller.map { Array(SHA256.digest(of: Array($0.utf8)).prefix(8)) } ?? Array(repeating: 0, count: 8), key)
    }

    /// Names the key of an action that an effect performs.
    package init(effect id: String) { self.init(Self.effects, Array(id.utf8)) }

    private init(_ caller: [UInt8], _ key: [UInt8]) { bytes = caller + SHA256.digest(of: key).prefix(24) }

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The server itself is the caller, and no limit counts these keys.
    private static let effects = [UInt8](repeating: 0xff, count: 8)

    /// The bounds of the caller's keys that count for its limit; nil for an effect's key.
    package var counted: (first: [UInt8], last: [UInt8])? {
        let caller = Array(bytes.prefix(8))
        return caller == Self.effects ? nil : (caller, caller + Self.effects + Self.effects + Self.effects)
    }
}

/// The answer that the store keeps under a key, for a replay.
package struct Remembered: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]
    /// The ETag without quotes; nil if the response had none.
    package let etag: String?

    package init(status: Int, body: [UInt8], etag: String? = nil) {
        (self.status, self.body, self.etag) = (status, body, etag)
    }
}

/// An `Idempotency-Key` with its outcome, as the store keeps it.
package struct StoredKey: Sendable, Equatable {
    /// Names the key within its entity.
    package let digest: KeyDigest
    /// The HMAC of path and body, under token and key.
    package let request: [UInt8]
    /// The first outcome.
    package let remembered: Remembered
    /// How long the key is kept from its commit on, by the store's clock.
    package let window: Duration

    package init(digest: KeyDigest, request: [UInt8], remembered: Remembered, window: Duration) {
        (self.digest, self.request, self.remembered, self.window) = (digest, request, remembered, window)
    }
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
