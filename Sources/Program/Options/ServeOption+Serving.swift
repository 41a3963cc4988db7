import Events
import HTTP
import PostgresStore
import SQLiteStore
import Service
import Sessions

extension ServeOption {
    /// Where to listen, where to keep sessions, how to stop.
    static let serving: [ServeOption] = [
        ServeOption(name: "host", value: "ADDRESS", help: "listen on this address (127.0.0.1)") { text, options in
            guard !text.isEmpty else { throw UsageError("takes an address, not nothing") }
            options.server.host = withoutBrackets(text)
        },
        ServeOption(name: "port", value: "N", help: "listen on this port; 0 for a free one (8080)") { text, options in
            options.server.port = try number(text, in: 0...UInt16.max)
        },
        ServeOption(
            name: "admin", value: "ADDRESS:PORT", help: "where operators ask: metrics, readiness, sessions (nowhere)"
        ) { text, options in
            options.server.admin = try address(text)
        },
        ServeOption(
            name: "store", value: "STORE", help: "sqlite:PATH, postgres://HOST/DB or memory (sqlite:bindery.db)"
        ) { text, options in
            options.store = try StoreChoice(text)
        },
        ServeOption(
            name: "store-schema", value: "NAME", help: "the schema of a store in PostgreSQL (bindery)"
        ) { text, options in
            guard let schema = SchemaName(text) else {
                throw UsageError("takes a name of lower-case letters, digits and underscores, not \(text)")
            }
            options.schema = schema
        },
        ServeOption(
            name: "durability", value: "power|process", help: "what an answered action survives (power)"
        ) { text, options in
            guard let durability = SQLiteStore.Durability(rawValue: text) else {
                throw UsageError("takes power or process, not \(text)")
            }
            options.durability = durability
        },
        ServeOption(
            name: "idle-memory", value: "SECONDS", help: "leave a session nobody uses to the store after (60)"
        ) { text, options in
            options.server.sessions.timeInMemory = .seconds(try number(text, in: 1...Int64(Int32.max)))
        },
        ServeOption(name: "threads", value: "N", help: "threads that serve (one a core)") { text, options in
            options.server.server.threads = try number(text, in: 1...256)
        },
        ServeOption(
            name: "drain-delay", value: "SECONDS", help: "serve on so long after a stop began, up to 7 (0)"
        ) { text, options in
            // Within what a stop may take, and with a second left for what still runs.
            let longest = BinderyServer.drainTime.components.seconds - 1
            options.server.drainDelay = .seconds(try number(text, in: 0...longest))
        },
    ]

    /// An address and a port, as they stand in a URL.
    private static func address(_ text: String) throws -> BinderyServer.Options.Address {
        guard let colon = text.lastIndex(of: ":"), !text[..<colon].isEmpty else {
            throw UsageError("takes an address and a port, like 127.0.0.1:9090, not \(text.isEmpty ? "nothing" : text)")
        }
        let host = String(text[..<colon])
        guard !host.contains(":") || (host.hasPrefix("[") && host.hasSuffix("]")) else {
            throw UsageError("takes an IPv6 address in brackets, like [::1]:9090, not \(text)")
        }
        let port: UInt16 = try number(String(text[text.index(after: colon)...]), in: 0...UInt16.max)
        return BinderyServer.Options.Address(host: withoutBrackets(host), port: port)
    }

    /// An IPv6 address as it stands in a URL, without its brackets; any other text as it is.
    private static func withoutBrackets(_ text: String) -> String {
        guard text.first == "[", text.last == "]", text.contains(":") else { return text }
        let address = text.dropFirst().dropLast()
        return IPAddress(address) == nil ? text : String(address)
    }

    /// How sessions live.
    static let sessions: [ServeOption] = [
        ServeOption(
            name: "public-session", value: "on|off", help: "share a session among those without a token (on)"
        ) { text, options in
            options.server.service.hasPublicSession = try isOn(text)
        },
        ServeOption(
            name: "session-ttl", value: "SECONDS", help: "end a session nobody used for so long (86400)"
        ) { text, options in
            options.server.sessions.timeToLive = .seconds(try number(text, in: 1...Int64(Int32.max)))
        },
        ServeOption(
            name: "idempotency-window", value: "SECONDS", help: "keep an Idempotency-Key's outcome so long (3600)"
        ) { text, options in
            options.server.sessions.idempotencyWindow = .seconds(try number(text, in: 1...Int64(Int32.max)))
        },
        ServeOption(name: "max-sessions", value: "N", help: "sessions there may be (100000)") { text, options in
            options.server.sessions.sessions = try number(text, in: 1...100_000_000)
        },
        ServeOption(
            name: "max-memory", value: "BYTES", help: "near it, sessions at rest leave memory (any number)"
        ) { text, options in
            // With its store and a hundred connections, the process has 30 MiB before there is a session.
            options.server.sessions.memoryBytes = try number(text, in: 1 << 26...1 << 50)
        },
    ]

    /// What is written of what happens.
    static let log: [ServeOption] = [
        ServeOption(
            name: "log", value: "json|text", help: "how to log to standard error (text on a terminal, else json)"
        ) { text, options in
            guard let format = LogFormat(rawValue: text) else { throw UsageError("takes json or text, not \(text)") }
            options.log = format
        },
        ServeOption(
            name: "log-level", value: "LEVEL", help: "log from debug, info, warning, error or critical on (info)"
        ) { text, options in
            guard let level = Event.Level(rawValue: text) else {
                let levels = Event.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("takes one of \(levels), not \(text.isEmpty ? "nothing" : text)")
            }
            options.logLevel = level
        },
    ]
}
