/// How the service deals with its callers.
public struct ServiceOptions: Sendable {
    /// Whether those who bring no token share a session; else they are told to begin one.
    public var hasPublicSession = true
    /// Whether `GET /` is a page for whoever asks for HTML first, as browsers do, and JSON for all others.
    ///
    /// It has what each view model shows, and an inspector of the wire. Default: it is.
    public var hasPage = true
    /// A directory whose files are served where no other route is: `index.html` at `/`, instead of the page, and in its directories.
    ///
    /// Nothing outside of it is served, whatever links lead there, and nothing whose name begins with a dot. Default: none.
    public var staticFiles: String?
    /// Whether cookies are for HTTPS alone: `Secure`, and with the name prefix `__Host-` (RFC 6265bis, section 4.1.3.2).
    public var hasSecureCookies = false
    /// The names under which the server may be asked; others are 421.
    ///
    /// Nil, the default, stands for ``AllowedHosts/loopback`` where a ``BinderyServer`` listens on loopback alone, so that
    /// a page of another name cannot reach what is meant for this machine; and for any name elsewhere.
    public var allowedHosts: AllowedHosts?
    /// The origins whose pages may read answers (WHATWG Fetch, "CORS protocol"): with a Bearer token, never by cookie.
    ///
    /// Default: none.
    public var allowedOrigins: Set<WebOrigin> = []
    /// How many sessions a minute one client network may begin, an IPv4 address or an IPv6 /64; 429 beyond.
    ///
    /// Default 60. This machine's own clients are exempt.
    public var newSessionsPerMinute = 60
    /// How many event streams may be open with one token at a time; 429 beyond.
    ///
    /// Default 1,024. In the public session, which all clients share, how many one client network may have open; this
    /// machine's own clients are exempt there.
    public var streamsPerToken = 1024
    /// What problems say, and in which languages.
    ///
    /// Default: English, and Japanese for whoever likes that better.
    public var wording = ProblemWording()
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
    var cookieName: CookieName { CookieName(isSecure: hasSecureCookies) }
}
