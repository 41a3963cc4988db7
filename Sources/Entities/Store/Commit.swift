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
