import ViewModels

/// How the service treats its clients.
public struct ServiceOptions: Sendable {
    /// Whether clients without a token share the public session; else they get 401.
    public var hasPublicSession = true
    /// Whether `GET /` is a page for clients that ask for HTML first, as browsers do.
    public var hasPage = true
    /// A directory whose files are served at paths that no other route has: `index.html` at `/`, instead of the page.
    ///
    /// No file outside of it is served, whatever links lead there, and none whose name begins with a dot.
    public var staticFiles: String?
    /// Whether cookies are for HTTPS alone: `Secure`, and with the prefix `__Host-` (RFC 6265bis, section 4.1.3.2).
    public var hasSecureCookies = false
    /// The names under which clients may ask; others get 421.
    ///
    /// Nil stands for ``AllowedHosts/loopback`` where the server listens on loopback alone, and for any name elsewhere.
    public var allowedHosts: AllowedHosts?
    /// The origins whose pages may read answers (WHATWG Fetch, "CORS protocol"), with a Bearer token and no cookie.
    public var allowedOrigins: Set<WebOrigin> = []
    /// Says to whom a session belongs that begins with credentials (`POST /sessions`); nil for sessions without users.
    ///
    /// It is asked for requests with a JSON body, an `Authorization` of another kind than a session's token, or a forwarded
    /// user. It returns nil for credentials that it does not accept (401), and may throw a `Refusal`. It may take as long as
    /// an action.
    public var authenticate: (@Sendable (Credentials) async throws -> User?)?
    /// The field in which a trusted proxy names the user of a request, such as `X-Forwarded-User`; nil for none.
    ///
    /// Without ``authenticate``, the user has this id and no roles.
    public var userHeader: String?
    /// How many credentials of a client network other than this machine may be refused a minute.
    public var failedLoginsPerMinute = 20
    /// How many sessions a client network (IPv4 address or IPv6 /64) other than this machine may begin a minute.
    public var newSessionsPerMinute = 60

    /// The default options.
    public init() {}

    /// The name of the cookie that carries the token.
    var cookieName: String { hasSecureCookies ? "__Host-bindery-session" : "bindery-session" }
}

/// The bounds of sessions.
public struct SessionLimits: Sendable {
    /// How long the store keeps a session that nobody uses; at least 15 minutes.
    public var timeToLive = Duration.seconds(24 * 60 * 60)
    /// How many sessions may be in memory; 503 beyond if all of them are in use.
    public var sessions = 100_000
    /// How long a session stays in memory when nobody uses it.
    public var timeInMemory = Duration.seconds(120)
    /// How many polls of one token may wait; 429 beyond.
    public var pollsPerSession = 64
    /// How many event streams of one token, or in the public session of one client network, may be open; 429 beyond.
    public var streamsPerSession = 1_024
    /// How many actions of a session may be unanswered; 429 beyond.
    public var waitingActions = 1_024
    /// How long an `async` or blocking action may run; 504 beyond.
    public var actionTime = Duration.seconds(30)
    /// How many threads run `async` and blocking actions.
    public var actionThreads = 64
    /// How long the outcome of an `Idempotency-Key` is kept; in the public session at most 10 minutes.
    public var idempotencyWindow = Duration.seconds(60 * 60)
    /// How many keys a session may have; 429 beyond.
    public var keysPerSession = 10_000

    /// The default bounds.
    public init() {}
}
