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
    public let end: SessionEnd

    /// Describes an outcome.
    public init(
        key: KeyDigest, fingerprint: [UInt8], status: Int, entityTag: String, contentType: String, body: [UInt8],
        end: SessionEnd
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
