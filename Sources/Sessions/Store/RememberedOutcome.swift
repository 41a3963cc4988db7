/// What became of a request with an idempotency key, to be said again when it is repeated.
///
/// Stored in the commit that holds the state it made, so that there is never one without the other.
public struct RememberedOutcome: Equatable, Sendable {
    /// How many of a session's latest outcomes a store keeps, at least 32 and not many more.
    public static let kept = 64

    /// The key, 1 to 255 visible characters.
    public let key: String
    /// A digest of the method, the path and the body it came with.
    public let fingerprint: String
    /// The status of the answer.
    public let status: Int
    /// The entity tag of the answer; empty where it had none.
    public let entityTag: String
    /// The media type of the answer's body.
    public let contentType: String
    /// The body of the answer.
    public let body: [UInt8]

    /// Describes an outcome.
    public init(
        key: String, fingerprint: String, status: Int, entityTag: String, contentType: String, body: [UInt8]
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.status = status
        self.entityTag = entityTag
        self.contentType = contentType
        self.body = body
    }
}
