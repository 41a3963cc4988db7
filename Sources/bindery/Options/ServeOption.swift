import SQLiteStore
import Service
import Sessions

/// One option of `bindery serve`, on the command line and in the environment.
struct ServeOption: Sendable {
    /// The long name, as in `--port`.
    let name: StaticString
    /// What stands for the value in the help; nil for an option that is there or not.
    let value: String?
    let help: String
    /// Takes the value.
    ///
    /// Throws ``UsageError`` where it is not good.
    let apply: @Sendable (String, inout ServeOptions) throws -> Void

    /// The environment variable that says the same, as in `BINDERY_PORT`; the command line wins.
    var variable: String { "BINDERY_" + name.description.uppercased().replacing("-", with: "_") }

    static let all: [ServeOption] = [
        ServeOption(name: "host", value: "ADDRESS", help: "listen on this address (127.0.0.1)") { text, options in
            guard !text.isEmpty else { throw UsageError("takes an address, not nothing") }
            options.server.host = text
        },
        ServeOption(name: "port", value: "N", help: "listen on this port; 0 for a free one (8080)") { text, options in
            options.server.port = try number(text, in: 0...UInt16.max)
        },
        ServeOption(
            name: "store", value: "sqlite:PATH|memory", help: "where sessions are kept (sqlite:bindery.db)"
        ) { text, options in
            options.store = try StoreChoice(text)
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
            name: "public-session", value: "on|off", help: "share a session among those without a token (on)"
        ) { text, options in
            options.server.service.hasPublicSession = try isOn(text)
        },
        ServeOption(
            name: "session-ttl", value: "SECONDS", help: "end a session nobody used for so long (86400)"
        ) { text, options in
            options.server.sessions.timeToLive = .seconds(try number(text, in: 1...Int64(Int32.max)))
        },
        ServeOption(name: "max-sessions", value: "N", help: "sessions there may be (100000)") { text, options in
            options.server.sessions.sessions = try number(text, in: 1...100_000_000)
        },
        ServeOption(
            name: "max-actions", value: "N", help: "actions a second one session may ask for (any number)"
        ) { text, options in
            options.server.sessions.actionsPerSecond = try number(text, in: 1...1_000_000)
        },
        ServeOption(name: "secure-cookies", value: nil, help: "cookies for HTTPS alone, named __Host-session") {
            text, options in
            options.server.service.hasSecureCookies = try isOn(text)
        },
        ServeOption(
            name: "log", value: "json|text", help: "how to log to standard error (text on a terminal, else json)"
        ) { text, options in
            guard let format = LogFormat(rawValue: text) else { throw UsageError("takes json or text, not \(text)") }
            options.log = format
        },
    ]

    private static func number<Number: FixedWidthInteger & Sendable>(
        _ text: String, in range: ClosedRange<Number>
    ) throws -> Number {
        // Swift would also take a plus sign.
        guard !text.hasPrefix("+"), let number = Number(text), range.contains(number) else {
            let given = text.isEmpty ? "nothing" : text
            throw UsageError("takes a number from \(range.lowerBound) to \(range.upperBound), not \(given)")
        }
        return number
    }

    private static func isOn(_ text: String) throws -> Bool {
        switch text {
        case "on", "true", "1": true
        case "off", "false", "0": false
        default: throw UsageError("takes on or off, not \(text)")
        }
    }
}
