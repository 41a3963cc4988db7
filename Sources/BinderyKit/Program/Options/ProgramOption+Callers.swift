import HTTP
import Service

extension ProgramOption {
    /// Who may ask, and who is believed.
    static let callers: [ProgramOption] = [
        ProgramOption(
            "secure-cookies", \.server.service.hasSecureCookies, isSwitch: true, "cookies for HTTPS alone",
            ", named `__Host-bindery-session`, not `bindery-session`"),
        ProgramOption(
            "allowed-hosts", "NAME,…", \.server.service.allowedHosts,
            "names to be asked under; `*.NAME` for all that end so",
            ", `*` for any; 421 under others", isRepeatable: true
        ) {
            $0 == nil ? "see below" : "named"
        } read: {
            let names = try list($0, of: "names like example.org or *.example.org") { name in
                AllowedHosts([name]).map { _ in name }
            }
            return AllowedHosts(names)
        },
        ProgramOption(
            "allow-origin", "ORIGIN,…", \.server.service.allowedOrigins, "pages that may use this server by CORS",
            ", with a Bearer token: the origins that they are of", isRepeatable: true
        ) {
            $0.isEmpty ? "none" : $0.map(\.description).sorted().joined(separator: ",")
        } read: {
            Set(try list($0, of: "origins like https://app.example.org") { WebOrigin($0) })
        },
        ProgramOption(
            "trusted-proxy", "ADDRESS/BITS,…", \.server.trustedProxies, "proxies to believe `X-Forwarded-…` from",
            ": `-For`, `-Host` and `-Proto`", isRepeatable: true
        ) {
            $0.isEmpty ? "none" : "named"
        } read: {
            TrustedProxies(try list($0, of: "addresses like 10.0.0.0/8 or ::1") { IPNetwork($0) })
        },
    ]

    /// How much one caller may take.
    static let bounds: [ProgramOption] = [
        ProgramOption(
            "max-wait", \.server.service.longestWait, in: 1...3600, "a poll waits so long at most, up to 3600",
            "; a longer wish is cut down"),
        ProgramOption(
            "max-actions", "N", \.server.sessions.actionsPerSecond, in: 1...1_000_000, else: "any number",
            "actions a second one session may ask for", "; 429 beyond"),
        ProgramOption(
            "max-waiting-actions", "N", \.server.sessions.waitingActions, in: 1...1_000_000,
            "actions of one session that wait", ", for their turn or to be stored; 429 beyond"),
        ProgramOption(
            "max-keys", "N", \.server.sessions.keysPerSession, in: 1...10_000_000,
            "idempotency keys that a session has room for", "; an action with one more is 429"),
        ProgramOption(
            "max-key-bytes", "N", \.server.sessions.keyBytesPerSession, in: 1...1 << 40,
            "bytes of answers kept under a session's keys", "; an action with another key is 429"),
        ProgramOption(
            "action-timeout", \.server.sessions.actionTime, in: 1...86_400,
            "an action that is not known to be fast runs so long",
            "; then it is given up with 504, and its session goes on"),
        ProgramOption(
            "max-new-sessions", "N", \.server.service.newSessionsPerMinute, in: 1...1_000_000,
            "sessions a minute one client network may begin", "; 429 beyond"),
        ProgramOption(
            "max-streams", "N", \.server.service.streamsPerToken, in: 1...1_000_000,
            "event streams open with one token",
            ", or in the public session by one network; 429 beyond"),
        ProgramOption(
            "max-connections", "N", \.server.server.connections, in: 1...1_000_000,
            else: "what the descriptor limit allows",
            "connections at a time", ", 8 more from this machine; 503 beyond"),
        ProgramOption(
            "max-connections-per-address", "N", \.server.server.connectionsPerAddress, in: 1...1_000_000,
            else: "a quarter of all", "connections of one client network", "; 429 beyond"),
        ProgramOption(
            "max-head", "BYTES", \.server.server.headerBytes, in: 1024...32_768, else: "8192",
            "a request's line and fields, up to 32768", "; 431 beyond"),
        ProgramOption(
            "max-body", "BYTES", \.server.server.bodyBytes, in: 1...67_108_864, else: "65536",
            "a request's body, up to 67108864", "; 413 beyond"),
    ]
}
