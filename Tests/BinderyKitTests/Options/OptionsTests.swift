import HTTP
import Service
import Testing

@testable import BinderyKit
@testable import bindery

/// Protects operators: each option works by command line and environment, and an error says what is wrong.
@Suite("The options of a command")
struct OptionsTests {
    private func options(_ words: String..., environment: [String: String] = [:]) throws -> ProgramOptions {
        try ProgramOptions(of: Bindery.self, .serve, words, environment: environment)
    }

    private func complaint(_ words: [String], _ environment: [String: String] = [:]) -> String? {
        let error = #expect(throws: UsageError.self) {
            try ProgramOptions(of: Bindery.self, .serve, words, environment: environment)
        }
        return error?.message
    }

    /// Each option with a value, and what it sets.
    static let table: [(String, String, @Sendable (ProgramOptions) -> Bool)] = [
        ("host", "::1", { $0.server.host == "::1" }),
        ("host", "[::1]", { $0.server.host == "::1" }),
        ("port", "65535", { $0.server.port == 65_535 }),
        ("admin", "[::1]:9090", { $0.server.admin == .init(host: "::1", port: 9090) }),
        ("store", "sqlite:a/b.db", { $0.store == .sqlite("a/b.db") }),
        ("store", "postgres://h/d", { $0.store == .postgres("postgres://h/d") }),
        ("store-schema", "other", { $0.store.schema == "other" }),
        ("durability", "process", { $0.store.durability == .process }),
        ("hints", "poll", { $0.store.hints == .poll }),
        ("hints-uri", "postgres://h/d", { $0.store.hintsURI == "postgres://h/d" }),
        ("public-session", "off", { !$0.server.service.hasPublicSession }),
        ("session-ttl", "900", { $0.server.sessions.timeToLive == .seconds(900) }),
        ("idempotency-window", "60", { $0.server.sessions.idempotencyWindow == .seconds(60) }),
        ("action-timeout", "5", { $0.server.sessions.actionTime == .seconds(5) }),
        ("hold-effects", "on", { $0.server.holdsEffects }),
        ("max-sessions", "7", { $0.server.sessions.sessions == 7 }),
        ("max-waiting-actions", "8", { $0.server.sessions.waitingActions == 8 }),
        ("max-keys", "9", { $0.server.sessions.keysPerSession == 9 }),
        ("max-streams", "4", { $0.server.sessions.streamsPerSession == 4 }),
        ("max-new-sessions", "3", { $0.server.service.newSessionsPerMinute == 3 }),
        ("secure-cookies", "on", { $0.server.service.hasSecureCookies }),
        ("allowed-hosts", "a.org,*.b.org", { $0.server.service.allowedHosts == AllowedHosts(["a.org", "*.b.org"]) }),
        ("allow-origin", "https://a.org", { $0.server.service.allowedOrigins.count == 1 }),
        ("trusted-proxy", "10.0.0.0/8, ::1", { $0.server.trustedProxies.count == 2 }),
        ("user-header", "X-User", { $0.server.service.userHeader == "X-User" }),
        ("static", "site", { $0.server.service.staticFiles == "site" }),
        ("threads", "3", { $0.server.server.threads == 3 }),
        ("max-connections", "6", { $0.server.server.connections == 6 }),
        ("max-connections-per-address", "5", { $0.server.server.connectionsPerAddress == 5 }),
        ("max-head", "2048", { $0.server.server.headerBytes == 2_048 }),
        ("max-body", "1", { $0.server.server.bodyBytes == 1 }),
        ("idle-timeout", "30", { $0.server.server.idleTimeout == .seconds(30) }),
        ("drain-delay", "7", { $0.server.drainDelay == .seconds(7) }),
        ("log", "text", { $0.log == .text }),
        ("log-level", "error", { $0.logLevel == .error }),
    ]

    @Test("each sets what it says, by the command line and by the environment", arguments: table)
    func each(name: String, value: String, isSet: @Sendable (ProgramOptions) -> Bool) throws {
        #expect(!isSet(try options()))
        #expect(isSet(try options("--\(name)=\(value)")))
        #expect(isSet(try options(environment: ["BINDERY_" + name.uppercased().replacing("-", with: "_"): value])))
    }

    @Test("each of serve is in that table")
    func complete() {
        #expect(Set(Command.serve.options.map(\.name)) == Set(Self.table.map(\.0)))
    }

    @Test("the command line wins over the environment, and that over the program")
    func order() throws {
        let variables = ["BINDERY_PORT": "90", "BINDERY_ACTION_TIMEOUT": ""]
        let said = try ProgramOptions(of: Errands.self, .serve, ["--port", "91"], environment: variables)
        #expect(said.server.port == 91)
        let inherited = try ProgramOptions(of: Errands.self, .serve, [], environment: variables)
        #expect(inherited.server.port == 90)
        #expect(inherited.server.sessions.actionTime == .seconds(10))
        #expect(inherited.store == .memory)
        #expect(inherited.server.program == "errands")
        #expect(inherited.server.programVersion == "1.4.0")
    }

    @Test("a list may be given piece by piece, and a switch without a value")
    func forms() throws {
        let hosts = try options("--allowed-hosts", "a.org", "--allowed-hosts", "b.org").server.service.allowedHosts
        #expect(hosts == AllowedHosts(["a.org", "b.org"]))
        let switched = try options("--secure-cookies", "--port", "1")
        #expect(switched.server.service.hasSecureCookies)
        #expect(switched.server.port == 1)
    }

    @Test(
        "a wrong command line is refused, and the complaint names the option and its form",
        arguments: [
            (["--port", "65536"], "--port takes a number from 0 to 65535, not 65536"),
            (["--port", "+1"], "--port takes a number from 0 to 65535, not +1"),
            (["--port"], "--port needs a value"),
            (["--session-ttl", "899"], "--session-ttl takes a number from 900 to 2147483648, not 899"),
            (["--public-session", "maybe"], "--public-session takes on or off, not maybe"),
            (["--durability", "full"], "--durability takes power|process, not full"),
            (["--log", "xml"], "--log takes json or text, not xml"),
            (["--admin", "9090"], "--admin takes an address and a port, like 127.0.0.1:9090 or [::1]:9090, not 9090"),
            (["--allow-origin", "a.org"], "--allow-origin takes origins like https://app.example.org, not a.org"),
            (["--store", "disk"], "--store takes memory, sqlite:PATH or postgres://HOST/DATABASE, not disk"),
            (["--colour"], "--colour is not an option of serve; see bindery serve --help"),
            (["--max-memory", "1"], "--max-memory is not an option of serve; see bindery serve --help"),
            (["now"], "\"now\" is not expected here; see bindery serve --help"),
            ([""], "\"\" is not expected here; see bindery serve --help"),
        ])
    func wrong(words: [String], message: String) {
        #expect(complaint(words) == message)
    }

    @Test("a wrong variable is named as such, and another command does not read it")
    func wrongVariable() throws {
        let environment = ["BINDERY_PORT": "tcp://10.0.0.1:80"]
        #expect(complaint([], environment) == "BINDERY_PORT takes a number from 0 to 65535, not tcp://10.0.0.1:80")
        _ = try ProgramOptions(of: Bindery.self, .backup, ["copy.db"], environment: environment)
    }

    @Test("a variable that is no option is known, and one that Kubernetes sets for a Service called bindery is not")
    func unknownVariables() {
        let names = [
            "BINDERY_PROT", "BINDERY_PORT", "BINDERY_TOKEN", "BINDERY_PORT_80_TCP", "BINDERY_SERVICE_HOST", "HOME",
        ]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
        #expect(Command.unknownVariables(in: environment) == ["BINDERY_PROT"])
    }

    @Test("no password is repeated, neither in a complaint nor for the log")
    func passwords() throws {
        #expect(complaint(["--store", "mysql://u:secret@h/d"])?.contains("secret") == false)
        #expect(complaint(["postgres://u:secret@h/d"])?.contains("secret") == false)
        let given = try options("--store", "postgres://u:secret@h/d", "--hints-uri", "postgres://h/d?password=secret")
        #expect(given.server.given.count == 2)
        #expect(!given.server.given.joined().contains("secret"))
        #expect(given.store.shown == "postgres://u@h/d")
    }

    @Test("an option means the same wherever a command has it")
    func once() {
        var meanings: [String: String] = [:]
        for option in Command.all(of: Bindery.self).flatMap(\.options) {
            #expect(meanings.updateValue(option.help, forKey: option.name) ?? option.help == option.help)
        }
    }
}
