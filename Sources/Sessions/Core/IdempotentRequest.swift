/// A request that carries an idempotency key: whatever happens, it is to happen once.
public struct IdempotentRequest: Sendable {
    /// What an action came to, to be put down as an outcome.
    public enum Result: Sendable {
        /// It was done; here is what the view model shows now.
        case done(View)
        /// It was refused because the view model has disabled it; here is what the view model shows.
        case disabled(detail: String, View)
        /// It failed after it was begun: it threw something else, or took too long.
        case failed(any Error)
    }

    /// The key.
    public let key: String
    /// A digest of all that makes it the same request.
    public let fingerprint: String
    /// Puts down what the caller is answered, to be said again.
    public let remember: @Sendable (Result) -> RememberedOutcome

    /// Describes a request: the same key, path and body make it the same.
    ///
    /// - Parameter remember: given what the action came to, and the fingerprint to keep with it.
    public init(
        key: String, path: String, body: [UInt8],
        remember: @escaping @Sendable (Result, _ fingerprint: String) -> RememberedOutcome
    ) {
        let fingerprint = SHA256.hexDigest(of: Array(path.utf8) + [0] + body)
        self.key = key
        self.fingerprint = fingerprint
        self.remember = { remember($0, fingerprint) }
    }
}
