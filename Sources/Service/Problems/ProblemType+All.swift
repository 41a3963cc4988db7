extension ProblemType {
    static let malformedJSON = ProblemType(
        .malformedInput, "Send well-formed JSON in UTF-8 (RFC 8259).")
    static let malformedQuery = ProblemType(
        "malformed-query", 400, "Malformed query", "See the parameters of this path in /openapi.yaml.")
    static let malformedHeader = ProblemType(
        "malformed-header", 400, "Malformed header", "See the headers of this path in /openapi.yaml.")
    static let sessionUnknown = ProblemType(
        "session-unknown", 401, "The session is not known",
        "The token is malformed, its session has ended, or it was never given out. Begin a session with POST /sessions."
    )
    static let sessionEnded = ProblemType(
        "session-ended", 401, "The session has ended", "Begin another session with POST /sessions.")
    static let sessionRequired = ProblemType(
        "session-required", 401, "A session is needed",
        "Begin one with POST /sessions and send its token as Authorization: Bearer.")
    static let sessionChanged = ProblemType(
        "session-changed", 401, "The credentials are of another session",
        "The token or the cookie leads to another session than Bindery-Session names: the cookie was changed, as by "
            + "another tab. Read GET /session and go on with its id, or leave Bindery-Session out.")
    static let crossSite = ProblemType(
        "cross-site", 403, "The request comes from another site",
        "Send it from a page of this host, or with an Authorization: Bearer token.")
    static let publicSession = ProblemType(
        "public-session", 403, "The public session is everybody's",
        "None of its guests may end it or change its language. Begin a session of your own with POST /sessions, and use "
            + "that.")
    static let httpsRequired = ProblemType(
        "https-required", 403, "The session's cookie needs HTTPS",
        "The page was loaded over http, where browsers drop a cookie that is for HTTPS alone. Load it over https; a proxy "
            + "that takes TLS off says so with X-Forwarded-Proto: https. Where cookies need not be secure (hasSecureCookies; "
            + "--secure-cookies) http will do.")
    static let preconditionFailed = ProblemType(
        "precondition-failed", 412, "The view model has changed",
        "Its ETag is not the one in If-Match. Read it again and decide anew; nothing was changed.")
    static let notJSON = ProblemType(
        "not-json", 415, "The body is not declared as JSON", "Send it with Content-Type: application/json.")
    static let wrongShape = ProblemType(
        .wrongShape,
        "It is JSON, but not what this action takes; pointer names the member.")
    static let idempotencyMismatch = ProblemType(
        "idempotency-mismatch", 422, "The idempotency key was used for another request",
        "Nothing was done for this one, and the key's first request stands. Send the same path and body to be answered as "
            + "then, or a new key.")
    static let tooManyActions = ProblemType(
        "too-many-actions", 429, "Too many actions", "Wait as long as Retry-After says.")
    static let lineFull = ProblemType(
        "too-many-waiting-actions", 429, "Too many actions wait",
        "As many actions of this session wait as may, for their turn or to be stored (waitingActions; "
            + "--max-waiting-actions); this one was not begun. Wait as long as Retry-After says.")
    static let tooManyKeys = ProblemType(
        "too-many-keys", 429, "Too many idempotency keys",
        "The session has as many as it may (keysPerSession; --max-keys), and none is forgotten before its time "
            + "(idempotencyWindow; --idempotency-window): the action was not begun. Wait as "
            + "long as Retry-After says, or begin another session.")
    static let tooManyKeyBytes = ProblemType(
        "too-many-key-bytes", 429, "Too many bytes under idempotency keys",
        "The answers that are kept under the session's keys have as many bytes as they may (keyBytesPerSession; "
            + "--max-key-bytes), and none is forgotten before its time (idempotencyWindow; --idempotency-window): the action "
            + "was not begun. Wait as long as Retry-After says, or begin another session.")
    static let tooManyStreams = ProblemType(
        "too-many-streams", 429, "Too many event streams",
        "As many event streams are open as one token, or in the public session one network, may have "
            + "(streamsPerToken; --max-streams). Close one, or wait as long as Retry-After says.")
    static let tooManyNewSessions = ProblemType(
        "too-many-new-sessions", 429, "Too many sessions begun",
        "Your network has begun as many sessions as one may within a minute (newSessionsPerMinute; "
            + "--max-new-sessions). Wait as long as Retry-After says. Behind a proxy, all clients count as one until it is "
            + "trusted (trustedProxies; --trusted-proxy).")
    static let tooManySessions = ProblemType(
        "too-many-sessions", 503, "No room for another session", "Try again as late as Retry-After says.")
    static let memoryFull = ProblemType(
        "memory-full", 503, "No memory for another session",
        "The server has as much memory as it may (memoryBytes; --max-memory), and sessions that are in use have it. Nothing was "
            + "done; try again as late as Retry-After says.")
    static let modelUnreadable = ProblemType(
        "model-unreadable", 500, "A stored view model cannot be read",
        "This build of the server cannot read what is stored of the view model that viewModel names: another build may have "
            + "written it, or the model refuses what it writes itself; nothing was changed. The session's other view models "
            + "work: ask for them by their paths, and for changes with topics. The operator finds the member in the log under the Request-Id."
    )
    static let sessionUnreadable = ProblemType(
        "session-unreadable", 500, "A stored session cannot be read",
        "What is stored of the session is damaged, or a newer build of this server wrote it; nothing was changed. The operator finds "
            + "what it is in the log under the Request-Id.")
    static let actionTimeout = ProblemType(
        "action-timeout", 504, "The action took too long",
        "It took longer than an action may (actionTime; --action-timeout) and was given up: nothing of it is stored, now or "
            + "later, but what it did outside of this server is done, or may yet be.")
    /// Said behind what an action's failure says of itself, where it is kept under a key.
    static let keyIsUsed = "Its Idempotency-Key stands for this answer; to try again, use a new one."
    static let storeUnavailable = ProblemType(
        "store-unavailable", 503, "The store does not answer",
        "Nothing was changed that is shown. Try again as late as Retry-After says.")
    static let busy = ProblemType(
        "server-busy", 503, "The server is busy",
        "As many actions take long as the server runs at a time. Nothing was done; try again as late as Retry-After says."
    )
    static let sessionBusy = ProblemType(
        "session-busy", 503, "The session's view models are not made yet",
        "They take longer to be made than an action may take, or those of other sessions do. Nothing was done; try again as "
            + "late as Retry-After says.")
    static let misdirected = ProblemType(
        "misdirected-request", 421, "The host is not one of this server's",
        "The server is not asked under this name. Ask for it by its IP address or by a name that it allows, or have "
            + "it allow this one (allowedHosts; --allowed-hosts). Behind a proxy, pass Host on, or send X-Forwarded-Host "
            + "from a proxy that is trusted (trustedProxies; --trusted-proxy).")
    static let draining = ProblemType(
        "draining", 503, "The server is about to stop", "Try again, on a new connection.")
}

extension ProblemType {
    /// What the service itself reports.
    static let ofService = [
        malformedJSON, malformedQuery, malformedHeader, sessionUnknown, sessionEnded, sessionRequired, sessionChanged,
        crossSite, publicSession, httpsRequired, preconditionFailed, notJSON, wrongShape,
        idempotencyMismatch,
        tooManyActions, lineFull, tooManyKeys, tooManyKeyBytes, tooManyStreams, tooManyNewSessions, tooManySessions,
        memoryFull, misdirected,
        modelUnreadable, sessionUnreadable, storeUnavailable, busy, sessionBusy, draining, actionTimeout,
    ]

    static let methodNotAllowed = ProblemType(
        "method-not-allowed", 405, "Method not allowed", "Allow names the methods.")

    static let notFound = ProblemType("not-found", 404, "Not found", "GET / lists what there is.")

    /// What the server below it reports, before a route is found or where a handler fails.
    static let ofServer = [
        ProblemType("bad-request", 400, "Bad request", "Send a request as RFC 9112 has it."),
        ProblemType("ambiguous-length", 400, "Ambiguous length", "Give the body's length once."),
        ProblemType("malformed-host", 400, "Malformed host", "Send exactly one Host field."),
        ProblemType("malformed-path", 400, "Malformed path", "Percent-encode the path."),
        notFound,
        methodNotAllowed,
        ProblemType("body-too-large", 413, "Body too large", "Send less."),
        ProblemType("target-too-long", 414, "Target too long", "Shorten the path or the query."),
        ProblemType("expectation-failed", 417, "Expectation failed", "Expect nothing but 100-continue."),
        ProblemType("header-too-large", 431, "Header too large", "Send fewer or shorter fields, such as cookies."),
        ProblemType("too-many-connections", 429, "Too many connections", "Use one connection for several requests."),
        ProblemType("internal-error", 500, "Internal error", "Report it with the Request-Id."),
        ProblemType("not-implemented", 501, "Not implemented", "Send the body as it is, or chunked."),
        serverFull,
        ProblemType("stopping", 503, "Stopping", "Try again shortly; a change that was cut off may have begun."),
        ProblemType("version-not-supported", 505, "Version not supported", "Speak HTTP/1.1."),
    ]

    static let serverFull = ProblemType("server-full", 503, "Server full", "Try again shortly.")

    /// The refusals that view models have without declaring a kind of their own.
    static let ofViewModels = [
        ProblemType(.disabled, "The member state shows what the view model allows now."),
        ProblemType(.invalid, "The member pointer, where there is one, names what is to be sent otherwise."),
        ProblemType(.notFound, "The member state shows what there is."),
        ProblemType(.forbidden, "Ask for what the member state allows."),
        ProblemType(.conflict, "The member state shows what is there."),
    ]

    /// Every kind there is, but those that view models declare.
    static let all = ofService + ofServer + ofViewModels
}
