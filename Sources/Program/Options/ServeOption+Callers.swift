import HTTP
import Service

extension ServeOption {
    /// Who may ask, and who is believed.
    static let callers: [ServeOption] = [
        ServeOption(
            name: "secure-cookies", value: "on|off", help: "cookies for HTTPS alone: __Host-bindery-session (off)",
            isSwitch: true
        ) { text, options in
            options.server.service.hasSecureCookies = try isOn(text)
        },
        ServeOption(
            name: "allowed-hosts", value: "NAME,…", help: "names to be asked under: NAME, *.NAME, * (see below)",
            isRepeatable: true
        ) { text, options in
            let names = try list(text, of: "names like example.org or *.example.org") { name in
                AllowedHosts([name]).map { _ in name }
            }
            options.server.service.allowedHosts = AllowedHosts(names)
        },
        ServeOption(
            name: "allow-origin", value: "ORIGIN,…", help: "pages that may use this server by CORS (none)",
            isRepeatable: true
        ) { text, options in
            let origins = try list(text, of: "origins like https://app.example.org") { WebOrigin($0) }
            options.server.service.allowedOrigins = Set(origins)
        },
        ServeOption(
            name: "trusted-proxy", value: "ADDRESS/BITS,…", help: "proxies to believe X-Forwarded-… from (none)",
            isRepeatable: true
        ) { text, options in
            let networks = try list(text, of: "addresses like 10.0.0.0/8 or ::1") { IPNetwork($0) }
            options.server.trustedProxies = TrustedProxies(networks)
        },
    ]

    /// How much one caller may take.
    static let bounds: [ServeOption] = [
        ServeOption(
            name: "max-wait", value: "SECONDS", help: "a poll waits so long at most, up to 3600 (55)"
        ) { text, options in
            let longest = Duration.seconds(try number(text, in: 1...3600))
            options.server.service.longestWait = longest
            options.server.service.defaultWait = min(options.server.service.defaultWait, longest)
        },
        ServeOption(
            name: "max-actions", value: "N", help: "actions a second one session may ask for (any number)"
        ) { text, options in
            options.server.sessions.actionsPerSecond = try number(text, in: 1...1_000_000)
        },
        ServeOption(
            name: "max-waiting-actions", value: "N", help: "actions of one session that wait (1024)"
        ) { text, options in
            options.server.sessions.waitingActions = try number(text, in: 1...1_000_000)
        },
        ServeOption(
            name: "max-keys", value: "N", help: "idempotency keys that a session has room for (10000)"
        ) { text, options in
            options.server.sessions.keysPerSession = try number(text, in: 1...10_000_000)
        },
        ServeOption(
            name: "max-key-bytes", value: "N", help: "bytes of answers kept under a session's keys (16777216)"
        ) { text, options in
            options.server.sessions.keyBytesPerSession = try number(text, in: 1...1 << 40)
        },
        ServeOption(
            name: "action-timeout", value: "SECONDS", help: "seconds that an action may run that is not fast (30)"
        ) { text, options in
            options.server.sessions.actionTime = .seconds(try number(text, in: 1...86_400))
        },
        ServeOption(
            name: "max-new-sessions", value: "N", help: "sessions a minute one client network may begin (60)"
        ) { text, options in
            options.server.service.newSessionsPerMinute = try number(text, in: 1...1_000_000)
        },
        ServeOption(
            name: "max-streams", value: "N", help: "event streams open with one token (1024)"
        ) { text, options in
            options.server.service.streamsPerToken = try number(text, in: 1...1_000_000)
        },
        ServeOption(
            name: "max-connections", value: "N", help: "connections at a time (what the descriptor limit allows)"
        ) { text, options in
            options.server.server.connections = try number(text, in: 1...1_000_000)
        },
        ServeOption(
            name: "max-connections-per-address", value: "N", help: "connections of one client network (a quarter)"
        ) { text, options in
            options.server.server.connectionsPerAddress = try number(text, in: 1...1_000_000)
        },
        ServeOption(
            name: "max-head", value: "BYTES", help: "a request's line and fields, up to 32768 (8192)"
        ) { text, options in
            options.server.server.headerBytes = try number(text, in: 1024...32_768)
        },
        ServeOption(
            name: "max-body", value: "BYTES", help: "a request's body, up to 67108864 (65536)"
        ) { text, options in
            options.server.server.bodyBytes = try number(text, in: 1...67_108_864)
        },
    ]
}
