import HTTP
import Samples
import Sessions
import TestSupport
import Testing
import ViewModels

@testable import Service

/// A whole server on a free port with clients that ask it as curl would; its time stands still, its store is scripted.
struct LiveService: Sendable {
    let server: BinderyServer
    let port: UInt16
    let store: ScriptedStore
    let timeline: ManualTimeline
    let log: RecordedLog

    /// Opens a connection of its own, to be kept.
    func connect(receiveBuffer: Int32? = nil) async throws -> Client {
        Client(raw: try await onThread { try RawClient(to: port, receiveBuffer: receiveBuffer) })
    }

    /// Opens a connection to the listener for operators.
    func operate() async throws -> Client {
        let port = try #require(server.adminURL?.split(separator: ":").last.flatMap { UInt16($0) })
        return Client(raw: try await onThread { try RawClient(to: port) })
    }

    /// Asks on a new connection and reads the answer.
    func ask(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) async throws
        -> ReceivedResponse
    {
        try await connect().ask(method, path, headers, body: body)
    }

    func get(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await ask("GET", path, headers)
    }

    func head(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await ask("HEAD", path, headers)
    }

    func post(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await ask("POST", path, headers)
    }

    /// Posts JSON text.
    func post(_ path: String, json: String, _ headers: String...) async throws -> ReceivedResponse {
        try await ask("POST", path, ["Content-Type: application/json"] + headers, body: json)
    }

    func delete(_ path: String, _ headers: String...) async throws -> ReceivedResponse {
        try await ask("DELETE", path, headers)
    }

    /// The cursor at which a session stands, the public one where no token is given.
    func cursor(_ headers: String...) async throws -> String {
        try #require(try await ask("GET", "/session", headers).json()["cursor"]?.string)
    }

    /// The number of a session's latest commit.
    func seq(_ headers: String...) async throws -> Int? {
        try await ask("GET", "/session", headers).json()["cursor"]?.string?.split(separator: ".").last.flatMap {
            Int($0)
        }
    }

    /// Begins a session and returns its token.
    func begin(_ headers: String...) async throws -> String {
        let answer = try await ask("POST", "/sessions", headers)
        #expect(answer.status == 201)
        return try #require(try answer.json()["token"]?.string)
    }

    /// Asks for changes on a connection of its own, and leaves the answer to be read.
    func poll(_ query: String, _ headers: String...) async throws -> Client {
        let client = try await connect()
        try await client.send("GET", "/changes?\(query)", headers)
        return client
    }

    /// Opens an event stream.
    func stream(_ query: String = "", _ headers: String...) async throws -> EventReader {
        let client = try await connect()
        try await client.send(
            "GET", "/changes" + (query.isEmpty ? "" : "?\(query)"), ["Accept: text/event-stream"] + headers)
        return EventReader(client: client)
    }

    /// What the sockets' side is doing.
    var gauges: ServerGauges { server.server.gauges }

    /// Whether a stop has begun, and those who waited are answered.
    var isDraining: Bool { server.service.isDraining }

    /// Stops, and cuts off what runs longer.
    func stop(within limit: Duration) async { await server.stop(within: limit) }

    /// Ends the sessions that nobody has used for their time to live.
    func endExpired() async { await server.registry.endExpired() }

    /// Has the store forget the outcomes whose time is over.
    func forgetOutcomes() async { await server.registry.forgetOutcomes() }

    /// How many wait for a session to change.
    func waiting(_ token: String? = nil) -> Int {
        let registry = server.registry
        let session =
            token.map { SessionToken($0).flatMap { registry.session(for: $0).known.flatMap(\.self) } }
            ?? registry.publicSession().known
        return session?.waitingCount ?? 0
    }

    /// Returns once so many wait for a session to change.
    func waits(_ count: Int, _ token: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        let isThere = await eventually { waiting(token) == count }
        #expect(isThere, "\(waiting(token)) wait, not \(count)", sourceLocation: sourceLocation)
    }
}

/// A few tests at a time have a server: with hundreds at once on a busy machine, a client's first byte may come later than a
/// server waits for it.
private let turns = Turns(4)

/// Runs a test against a server, and stops it.
///
/// - Parameters:
///   - store: what is to be behind the scripted store.
///   - other: a log of the test's own, in place of the recorded one.
///   - timeline: given where the store goes by it, too.
func withService(
    of catalogue: Catalogue = .counterAndLogin, over store: any SessionStore = MemoryStore(),
    log format: LogFormat = .json, told other: (any ExchangeLog)? = nil, timeline: ManualTimeline = ManualTimeline(),
    _ change: (inout BinderyServer.Options) -> Void = { _ in },
    _ test: (LiveService) async throws -> Void
) async throws {
    var options = BinderyServer.Options()
    options.port = 0
    // Tests ask under names of their own; those of the names that are allowed say so.
    options.service.allowedHosts = .any
    // Under load a test may be slower than any client.
    options.server.idleTimeout = .seconds(600)
    options.server.headTimeout = .seconds(600)
    options.server.grace = .seconds(600)
    change(&options)
    let store = ScriptedStore(store)
    let log = RecordedLog(format: format)
    try await turns.take {
        let server = BinderyServer(
            catalogue: catalogue, store: store, options: options, log: other ?? log.log, timeline: timeline)
        let port = try server.start()
        do {
            try await test(LiveService(server: server, port: port, store: store, timeline: timeline, log: log))
        } catch {
            await server.stop(within: .zero)
            throw error
        }
        // A delay is over when the test moves the time: one that did not stop the server does not wait for it.
        await server.stop(within: options.drainDelay > .zero ? .zero : BinderyServer.drainTime)
    }
}

extension Catalogue {
    /// The two of which HTTP's examples speak: what is said of all view models stays short.
    static let counterAndLogin = Catalogue(
        Catalogue.samples.viewModels.filter { ["counter", "login"].contains($0.name.rawValue) },
        languages: Catalogue.samples.languages)
}
