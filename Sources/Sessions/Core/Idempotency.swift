import ViewModels

/// A request that carries an idempotency key: whatever happens, it is to happen once.
package struct IdempotentRequest: Sendable {
    /// What an action came to, to be put down as an outcome.
    package enum Result: Sendable {
        /// It was done; here is what the view model shows now.
        case done(View)
        /// The view model refused it; here is what the view model shows, where it can be shown.
        case refused(ActionRefusal, View?)
        /// It failed after it was begun: it threw something else, or took too long.
        case failed(any Error)
    }

    /// What the caller is answered.
    package struct Answer: Sendable {
        let status: Int
        let entityTag: String
        let contentType: String
        let body: [UInt8]

        /// Describes an answer, as ``RememberedOutcome`` keeps it.
        package init(status: Int, entityTag: String, contentType: String, body: [UInt8]) {
            self.status = status
            self.entityTag = entityTag
            self.contentType = contentType
            self.body = body
        }
    }

    /// The name of the key.
    package let key: KeyDigest
    /// An HMAC-SHA256 of all that makes it the same request, under the session's token and the key; in the public session
    /// under the key alone.
    ///
    /// A plain digest would let whoever steals the store try passwords against it. Of token and key the store has only the
    /// digests.
    package let fingerprint: [UInt8]
    private let secret: [UInt8]
    private let text: [UInt8]
    private let answer: @Sendable (Result) -> Answer

    /// Describes a request of a session: the same key, path and body make it the same.
    ///
    /// - Parameters:
    ///   - token: the session's; nil in the public session.
    ///   - answer: what the caller is answered, given what the action came to.
    package init(
        key: String, in id: SessionID, token: SessionToken?, path: String, body: [UInt8],
        answer: @escaping @Sendable (Result) -> Answer
    ) {
        self.key = KeyDigest(of: key, in: id)
        secret = Array(key.utf8)
        text = Array(path.utf8) + [0] + body
        // All tokens are of one length: no two pairs of token and key are one text.
        fingerprint = SHA256.authenticationCode(of: text, under: Array((token?.secret ?? "").utf8) + secret)
        self.answer = answer
    }

    /// Puts down what the caller is answered.
    ///
    /// - Parameter end: when it may be forgotten.
    package func outcome(_ result: Result, until end: TimeOfDay) -> RememberedOutcome {
        let answer = answer(result)
        return RememberedOutcome(
            key: key, fingerprint: fingerprint, status: answer.status, entityTag: answer.entityTag,
            contentType: answer.contentType, body: answer.body, end: end)
    }

    /// Whether an outcome that was found under the key is this request's, and not another's with the same key.
    package func isOf(_ outcome: RememberedOutcome) -> Bool {
        outcome.fingerprint == fingerprint
            || outcome.fingerprint == Self.fingerprint(ofEarlier: SHA256.hexDigest(of: text), key: secret)
    }

    /// The fingerprint for what a build stored whose fingerprints were plain digests, in hexadecimal.
    package static func fingerprint(ofEarlier digest: String, key: [UInt8]) -> [UInt8] {
        SHA256.authenticationCode(of: Array(digest.utf8), under: key)
    }
}

/// What became of a request with an idempotency key, to be said again when it is repeated.
///
/// Stored in the commit that holds the state it made, so that there is never one without the other.
public struct RememberedOutcome: Equatable, Sendable {
    /// The name of the key.
    public let key: KeyDigest
    /// A keyed digest of the path and the body it came with (`IdempotentRequest.fingerprint`).
    public let fingerprint: [UInt8]
    /// The status of the answer.
    public let status: Int
    /// The entity tag of the answer; empty where it had none.
    public let entityTag: String
    /// The media type of the answer's body.
    public let contentType: String
    /// The body of the answer.
    public let body: [UInt8]
    /// When it may be forgotten; until then it is found.
    public let end: TimeOfDay

    /// Describes an outcome.
    public init(
        key: KeyDigest, fingerprint: [UInt8], status: Int, entityTag: String, contentType: String, body: [UInt8],
        end: TimeOfDay
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.status = status
        self.entityTag = entityTag
        self.contentType = contentType
        self.body = body
        self.end = end
    }
}

/// The name under which an idempotency key is kept: the SHA-256 of its session's name and of the key.
///
/// It tells nobody a key that cannot be guessed, so it may stand in a store. The same key in two sessions has two names.
public struct KeyDigest: Hashable, Sendable {
    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    /// Takes a name back from a store.
    ///
    /// - Returns: nil where it is none.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Names a key of a session.
    public init(of key: String, in id: SessionID) {
        // No session's name has a zero byte in it.
        bytes = SHA256.digest(of: Array(id.rawValue.utf8) + [0] + key.utf8)
    }
}
