import Events
import HTTP
import PostgresStore
import SQLiteStore
import Service
import Sessions

extension ProgramOption {
    /// Where to listen, where to keep sessions, how to stop.
    static let serving: [ProgramOption] = [
        ProgramOption("host", "ADDRESS", \.server.host, "listen on this address") {
            $0
        } read: { text in
            guard !text.isEmpty else { throw UsageError("takes an address, not nothing") }
            return withoutBrackets(text)
        },
        ProgramOption(
            "port", "N", \.server.port, in: 0...UInt16.max, "listen on this port; 0 for a free one",
            ", which the log says"),
        ProgramOption(
            "admin", "ADDRESS:PORT", \.server.admin,
            "where operators ask: [metrics](docs/metrics.md), readiness, "
                + "[sessions](docs/running.md#sessions-to-find-one-and-to-end-it)",
            "; see below", code: "`admin`, `.init(host: \"127.0.0.1\", port: 9090)`"
        ) {
            $0.map { $0.host.contains(":") ? "[\($0.host)]:\($0.port)" : "\($0.host):\($0.port)" } ?? "nowhere"
        } read: {
            try address($0)
        },
        ProgramOption(
            "store", "STORE", \.store, "`sqlite:PATH`, `postgres://HOST/DB` or `memory`",
            ": where sessions are kept; `memory` ends with the process", code: "`store` of the program"
        ) {
            $0.shown
        } read: {
            try StoreChoice($0)
        },
        ProgramOption(
            "store-schema", "NAME", \.schema, "the schema of a store in PostgreSQL; of copy that of both", code: "–"
        ) {
            $0.rawValue
        } read: { text in
            guard let schema = SchemaName(text) else {
                throw UsageError("takes a name of lower-case letters, digits and underscores, not \(text)")
            }
            return schema
        },
        ProgramOption(
            "durability", "power|process", \.durability, "what an answered action survives",
            ": a loss of power, or `kill -9` alone and faster", code: "`SQLiteStore(path:durability:)`"
        ) {
            $0.rawValue
        } read: { text in
            guard let durability = SQLiteStore.Durability(rawValue: text) else {
                throw UsageError("takes power or process, not \(text)")
            }
            return durability
        },
        ProgramOption(
            "idle-memory", \.server.sessions.timeInMemory, "leave a session nobody uses so long to the store",
            "; its next request brings it back"),
        ProgramOption(
            "threads", "N", \.server.server.threads, in: 1...256, else: "one a core", "threads that serve",
            ", up to 256"),
        // Within what a stop may take, and with a second left for what still runs.
        ProgramOption(
            "drain-delay", \.server.drainDelay, in: 0...BinderyServer.drainTime.components.seconds - 1,
            "serve on so long after a stop began, up to 7", ", while `/readyz` is 503 already; 5 in the image"),
    ]

    /// An address and a port, as they stand in a URL.
    static func address(_ text: String) throws -> BinderyServer.Options.Address {
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
    static let sessions: [ProgramOption] = [
        ProgramOption(
            "public-session", \.server.service.hasPublicSession, "share a session among those without a token",
            "; off: whoever brings none is 401"),
        ProgramOption(
            "page", \.server.service.hasPage, "show a page at / to who asks for HTML first", "; off: JSON to all"),
        ProgramOption(
            "static", "DIR", \.server.service.staticFiles, "serve the files of a directory, where no route is",
            ": its `index.html` at `/`, instead of the page; never a name that begins with a dot, nor what a link outside leads to"
        ) {
            $0 ?? "none"
        } read: { text in
            guard !text.isEmpty else { throw UsageError("takes a directory") }
            return text
        },
        ProgramOption(
            "session-ttl", \.server.sessions.timeToLive, "end a session nobody used for so long",
            "; another time holds for stored sessions from the start. A store that is embedded is told, too: "
                + "`SQLiteStore(path:timeToLive:)`"),
        ProgramOption(
            "idempotency-window", \.server.sessions.idempotencyWindow, "keep an `Idempotency-Key`'s outcome so long",
            "; in the public session 600 at most"),
        ProgramOption(
            "max-sessions", "N", \.server.sessions.sessions, in: 1...100_000_000, "sessions there may be",
            "; 503 beyond"),
        // With its store and a hundred connections, the process has 30 MiB before there is a session.
        ProgramOption(
            "max-memory", "BYTES", \.server.sessions.memoryBytes, in: 1 << 26...1 << 50, else: "any number",
            "bytes of RAM; near it, idle sessions leave memory",
            ": within an eighth of it, those that nobody waits on, the longest unused first. Where that is not enough, who begins "
                + "a session or needs one loaded is 503. 67108864 at least; not with `--store memory`, which is in it"),
    ]

    /// What is written of what happens.
    static let log: [ProgramOption] = [
        ProgramOption(
            "log", "json|text", \.log, "how to log to standard error",
            ": [a line for each event](docs/events.md), which are requests, bounds, slow and hung actions, the store, starts and "
                + "stops; never a path, token or body; the last 50 ms are lost with `kill -9` and in a crash",
            code: "`LogWriter(format:)`"
        ) {
            $0?.rawValue ?? "text on a terminal, else json"
        } read: { text in
            guard let format = LogFormat(rawValue: text) else { throw UsageError("takes json or text, not \(text)") }
            return format
        },
        ProgramOption(
            "log-level", "LEVEL", \.logLevel, "log from debug, info, warning, error or critical on",
            code: "`LogWriter(format:level:)`"
        ) {
            $0.rawValue
        } read: { text in
            guard let level = Event.Level(rawValue: text) else {
                let levels = Event.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("takes one of \(levels), not \(text.isEmpty ? "nothing" : text)")
            }
            return level
        },
    ]
}
