import HTTP
import Service

// The options of `serve`, in the order of the help.

extension ProgramOption {
    static let host = ProgramOption("host", "ADDRESS", \.server.host, "listen on this address") {
        $0
    } read: {
        withoutBrackets($0)
    }

    static let port = number("port", \.server.port, 0...UInt16.max, "listen on this port; 0 for a free one")

    static let admin = ProgramOption(
        "admin", "ADDRESS:PORT", \.server.admin, "listener for operators: metrics and probes"
    ) {
        $0.map { $0.host.contains(":") ? "[\($0.host)]:\($0.port)" : "\($0.host):\($0.port)" } ?? "none"
    } read: {
        try address($0)
    }

    static let store = ProgramOption(
        "store", "STORE", \.store.place, "memory, sqlite:PATH or postgres://HOST/DATABASE"
    ) {
        Store(place: $0).shown
    } read: {
        try Store.Place($0)
    }

    static let schema = ProgramOption("store-schema", "NAME", \.store.schema, "schema of the tables in PostgreSQL") {
        $0
    } read: {
        $0
    }

    static let storeUse: [ProgramOption] = [
        .choice("durability", \.store.durability, "survive loss of power, or only the end of the process (SQLite)"),
        .choice("hints", \.store.hints, "how replicas on PostgreSQL learn of changes"),
        .text("hints-uri", "URI", \.store.hintsURI, "URI of the server itself, if --store names a transaction pooler"),
    ]

    static let sessions: [ProgramOption] = [
        .flag("public-session", \.server.service.hasPublicSession, "share a session among callers without a token"),
        .seconds("session-ttl", \.server.sessions.timeToLive, 900...1 << 31, "end sessions unused for this time"),
        .seconds("idempotency-window", \.server.sessions.idempotencyWindow, 1...1 << 31, "keep a key for this time"),
        .seconds("action-timeout", \.server.sessions.actionTime, 1...86_400, "give up async actions after this time"),
        .flag("hold-effects", \.server.holdsEffects, "start no effects and timers, as after a restore", isSwitch: true),
        .number("max-sessions", \.server.sessions.sessions, 1...100_000_000, "sessions in memory; 503 beyond"),
        .number(
            "max-waiting-actions", \.server.sessions.waitingActions, 1...1_000_000, "actions of a session; 429 beyond"),
        .number(
            "max-keys", \.server.sessions.keysPerSession, 1...10_000_000, "idempotency keys of a session; 429 beyond"),
        .number(
            "max-streams", \.server.sessions.streamsPerSession, 1...1_000_000, "event streams of a token; 429 beyond"),
        .number(
            "max-new-sessions", \.server.service.newSessionsPerMinute, 1...1_000_000,
            "new sessions a minute of a client network; 429 beyond"),
    ]

    /// The options of access and trust.
    static let callers: [ProgramOption] = [
        .flag("secure-cookies", \.server.service.hasSecureCookies, "send cookies over HTTPS only", isSwitch: true),
        .list(
            "allowed-hosts", "NAME,…", \.server.service.allowedHosts,
            "host names of this server, *.NAME or * for any; others get 421; default localhost on loopback, else any",
            of: "names like example.org or *.example.org", { AllowedHosts([$0]) == nil ? nil : $0 },
            make: { AllowedHosts($0) }),
        .list(
            "allow-origin", "ORIGIN,…", \.server.service.allowedOrigins,
            "pages that may use this server by CORS, with a Bearer token", of: "origins like https://app.example.org",
            { WebOrigin($0) }, make: { Set($0) }),
        .list(
            "trusted-proxy", "ADDRESS/BITS,…", \.server.trustedProxies,
            "proxies whose X-Forwarded-For, -Host and -Proto are trusted", of: "addresses like 10.0.0.0/8 or ::1",
            { IPNetwork($0) }, make: { $0 }),
        .text(
            "user-header", "NAME", \.server.service.userHeader,
            "field in which a trusted proxy names the user of a new session"),
        .text("static", "DIRECTORY", \.server.service.staticFiles, "serve these files on paths without a route"),
    ]

    static let connections: [ProgramOption] = [
        .number("threads", \.server.server.threads, 1...256, "event loops", else: "one per core"),
        .number(
            "max-connections", \.server.server.connections, 1...1_000_000, "connections; 503 beyond",
            else: "as open files allow"),
        .number(
            "max-connections-per-address", \.server.server.connectionsPerAddress, 1...1_000_000,
            "connections of a client network; 429 beyond", else: "a quarter of all"),
        .number("max-head", \.server.server.headerBytes, 1024...32_768, "request line and fields; 431 beyond", "BYTES"),
        .number("max-body", \.server.server.bodyBytes, 1...1 << 26, "a request's body; 413 beyond", "BYTES"),
        .seconds("idle-timeout", \.server.server.idleTimeout, 1...3600, "close connections idle for this time"),
        .seconds("drain-delay", \.server.drainDelay, 0...7, "keep serving after SIGTERM, while /readyz is 503"),
    ]

    static let log: [ProgramOption] = [
        ProgramOption("log", "json|text", \.log, "format of the log on standard error") {
            $0?.rawValue ?? "text on a terminal, else json"
        } read: { text in
            guard let format = LogFormat(rawValue: text) else { throw UsageError("takes json or text, not \(text)") }
            return format
        },
        .choice("log-level", \.logLevel, "log events from this level on"),
    ]

    /// An address and a port, as in a URL.
    private static func address(_ text: String) throws -> BinderyServer.Options.Address {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex else {
            throw UsageError("takes an address and a port, like 127.0.0.1:9090 or [::1]:9090, not \(text)")
        }
        let port: UInt16 = try read(String(text[text.index(after: colon)...]), in: 0...UInt16.max)
        return BinderyServer.Options.Address(host: withoutBrackets(String(text[..<colon])), port: port)
    }

    private static func withoutBrackets(_ text: String) -> String {
        text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }
}
