import ViewModels

/// How the service treats its clients.
public struct ServiceOptions: Sendable {
    /// Whether clients without a token share the public session; if not, they get 401.
    public var hasPublicSession = true
    /// Whether `GET /` is a page for clients that prefer HTML, such as browsers.
    public var hasPage = true
    /// A directory of files for the paths that no other route has; its `index.html` replaces the page at `/`.
    ///
    /// The server sends no file outside of it, even through a link. It sends no file whose name begins with a dot.
    public var staticFiles: String?
    /// Whether the cookie is for HTTPS only: `Secure`, with the prefix `__Host-` (RFC 6265bis, section 4.1.3.2).
    public var hasSecureCookies = false
    /// The host names that clients may use; other names get 421.
    ///
    /// Nil means ``AllowedHosts/loopback`` if the server listens only on the loopback, otherwise any name.
    public var allowedHosts: AllowedHosts?
    /// The origins whose pages may read answers (WHATWG Fetch, "CORS protocol"); they use a Bearer token, no cookie.
    public var allowedOrigins: Set<WebOrigin> = []
    /// Finds the user for the credentials of a new session (`POST /sessions`); nil for sessions without users.
    ///
    /// The server calls it for a JSON body, a forwarded user, or an `Authorization` other than a session's token. It
    /// returns nil to refuse the credentials (401), and may throw a `Refusal`. Its deadline is
    /// ``SessionLimits/actionTime``.
    public var authenticate: (@Sendable (Credentials) async throws -> User?)?
    /// The header in which a trusted proxy sends the user of a request, such as `X-Forwarded-User`; nil for none.
    ///
    /// Without ``authenticate``, the user has this id and no roles.
    public var userHeader: String?
    /// How many failed logins a client network may have a minute; this machine has no limit.
    public var failedLoginsPerMinute = 20
    /// How many sessions a client network (IPv4 address or IPv6 /64) may begin a minute; this machine has no limit.
    public var newSessionsPerMinute = 60

    /// The default options.
    public init() {}

    /// The name of the cookie with the token.
    var cookieName: String { hasSecureCookies ? "__Host-bindery-session" : "bindery-session" }
}

/// The bounds of sessions.
public struct SessionLimits: Sendable {
    /// How long the store keeps an unused session; at least 15 minutes.
    public var timeToLive = Duration.seconds(24 * 60 * 60) {
        didSet { timeToLive = max(timeToLive, .seconds(15 * 60)) }
    }
    /// How many sessions may be in memory; a new one gets 503 if all of them are in use.
    public var sessions = 100_000
    /// How long an unused session stays in memory.
    public var timeInMemory = Duration.seconds(120)
    /// How many polls of one token may wait; 429 beyond.
    public var pollsPerSession = 64
    /// How many event streams may be open for a token, or for a network in the public session; 429 beyond.
    public var streamsPerSession = 1_024
    /// How many actions of a session may be unanswered; 429 beyond.
    public var waitingActions = 1_024
    /// How long an `async` or blocking action may run; 504 beyond.
    public var actionTime = Duration.seconds(30)
    /// How many threads run `async` and blocking actions.
    public var actionThreads = 64
    /// How long the server keeps the outcome of an `Idempotency-Key`; in the public session at most 10 minutes.
    public var idempotencyWindow = Duration.seconds(60 * 60)
    /// How many keys a session may have; 429 beyond.
    public var keysPerSession = 10_000

    /// The default bounds.
    public init() {}
}
