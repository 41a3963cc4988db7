import BinderyClient
import BinderyKit
import Entities
import Foundation
import Locking
import Service
import ViewModels

/// A server in the test's process, on a free port of the loopback, with a clock that the test moves.
///
/// Clients use HTTP. The store is in memory. Any thread may use it, and a process may have many servers.
public final class TestServer: Sendable {
    /// The URL; ``restart(viewModels:)`` does not change it.
    public let url: URL
    /// The server's time.
    public let clock: TestClock
    /// A client that never retries an action, so that the test sees each failure.
    public let client: BinderyClient
    /// The faults of the store.
    public var faults: Faults { Faults(store: store) }
    private let port: ReservedPort
    private let store: FaultyStore
    private let options: BinderyServer.Options
    private let languages: Languages
    private let running: Lock<(server: BinderyServer, viewModels: [Declaration])>

    /// Starts a server, which runs until ``stop()``.
    ///
    /// - Parameters:
    ///   - viewModels: the view models.
    ///   - languages: their languages, the default first.
    ///   - options: the options of the server, which always listens on a free port of the loopback.
    /// - Throws: `StartError`, `DeclarationFault`.
    public init(
        viewModels: [Declaration], languages: Languages = Languages(.english),
        options: BinderyServer.Options = BinderyServer.Options()
    ) throws {
        let (port, clock) = (try ReservedPort(), TestClock())
        guard let url = URL(string: "http://127.0.0.1:\(port.number)") else { throw URLError(.badURL) }
        var options = options
        (options.host, options.port, options.server.threads) = ("127.0.0.1", port.number, 1)
        options.admin = nil
        // On a busy machine, clients are slow.
        (options.server.headTimeout, options.server.grace) = (.seconds(600), .seconds(600))
        (self.port, self.clock, self.url, self.options, self.languages) = (port, clock, url, options, languages)
        store = FaultyStore { clock.now }
        var once = BinderyClient.Options()
        once.actionTime = .zero
        once.connectTime = .seconds(60)
        once.pauses = .milliseconds(10) ... .milliseconds(100)
        client = BinderyClient(url, options: once)
        let server = try BinderyServer(
            viewModels: viewModels, languages: languages, options: options, timer: clock
        ) { [store] _ in store }
        running = Lock((server, viewModels))
        _ = try server.start()
    }

    /// Begins a session.
    ///
    /// - Throws: `RemoteProblem`, `RemoteFailure`.
    public func session(language: Language? = nil) async throws -> RemoteSession {
        try await client.session(language: language)
    }

    /// The session that clients without a token share.
    public var publicSession: RemoteSession { client.publicSession }

    /// The server's own view of a session, with its NotificationCenter.
    ///
    /// - Throws: `SessionUnavailable`.
    public func hosted(_ session: RemoteSession) async throws -> HostSession {
        try await server.session(session.token)
    }

    /// Stops the server, and starts another one on the same store and port; polls and streams lose their connections.
    ///
    /// - Parameter viewModels: the view models of another build; nil for the same ones.
    /// - Throws: `StartError`, `DeclarationFault`.
    public func restart(viewModels: [Declaration]? = nil) async throws {
        await stop()
        let viewModels = viewModels ?? running.withLock { $0.viewModels }
        let server = try BinderyServer(
            viewModels: viewModels, languages: languages, options: options, timer: clock
        ) { [store] _ in store }
        running.withLock { $0 = (server, viewModels) }
        _ = try server.start()
    }

    /// Stops the server.
    public func stop() async { await server.stop() }

    /// The values of an output from now on.
    ///
    /// The history comes from the commits, so it has values that a client may miss.
    ///
    /// - Parameter path: the property of the output, as in the view model's interface.
    /// - Throws: `RemoteProblem`, `RemoteFailure` for a session that does not exist.
    public func history<Owner: Hostable, Value: Decodable & Sendable>(
        of path: KeyPath<Owner, Value>, in session: RemoteSession
    ) async throws -> OutputHistory<Value> { try await history(at: path, in: session) }

    /// The values of an output that is a Variable or a Constant.
    public func history<Owner: Hostable, Value: Decodable & Sendable>(
        of path: KeyPath<Owner, some ReadableVariable<Value>>, in session: RemoteSession
    ) async throws -> OutputHistory<Value> { try await history(at: path, in: session) }

    private func history<Owner: Hostable, Value: Decodable & Sendable>(
        at path: PartialKeyPath<Owner>, in session: RemoteSession
    ) async throws -> OutputHistory<Value> {
        let name = Owner.interface.name
        guard let viewModel = server.catalogue.sessionViewModels.firstIndex(where: { $0.name == name }),
            let output = Owner.interface.output(at: path)
        else { throw NothingCame("the server shows no output of \(name) at \(path)") }
        let id = session.token.flatMap { SessionToken($0[...]) }?.entityID ?? .publicSession
        let count = store.commits.count
        let found = await withCheckedContinuation { done in server.registry.find(id) { done.resume(returning: $0) } }
        guard case .success(let known) = found else { throw NothingCame("the session does not exist") }
        let first = known.published.state[viewModel].part.outputs[output]
        return OutputHistory(first: first, place: (viewModel, output)) { [store] in
            store.commits[count...].filter { $0.id == id }
        }
    }

    private var server: BinderyServer { running.withLock { $0.server } }
}
