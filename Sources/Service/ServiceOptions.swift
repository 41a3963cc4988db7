/// How the service deals with its callers.
public struct ServiceOptions: Sendable {
    /// Whether those who bring no token share a session; else they are told to begin one.
    public var hasPublicSession = true
    /// Whether cookies are for HTTPS alone: `Secure`, and with the name prefix `__Host-` (RFC 6265bis, section 4.1.3.2).
    public var hasSecureCookies = false
    /// How long a poll waits that does not say.
    public var defaultWait: Duration = .seconds(25)
    /// How long a poll may wait; a larger wish is cut down to it.
    public var longestWait: Duration = .seconds(55)
    /// How much of a wait may be taken off at random, so that polls that began together do not end together.
    public var waitJitter = 0.1
    /// How long an event stream is silent before it sends a ping.
    public var pingInterval: Duration = .seconds(15)
    /// How long an event stream lives before the client is made to come back; a length within it is drawn at random.
    public var streamLife: ClosedRange<Duration> = .seconds(300) ... .seconds(600)

    /// The options used where nothing else is said.
    public init() {}

    /// The name of the cookie that carries the token.
    var cookieName: String { hasSecureCookies ? "__Host-session" : "session" }
}
