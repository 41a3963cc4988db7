import BinderyClient
import BinderyKit
import Binding
import Foundation
import Locking
import Service
import Sessions
import StandIns
import ViewModelContract
import ViewModels

/// Runs a test with a server of its own, and stops it; of the tests that begin together, eight at a time for each processor.
///
/// ```swift
/// @Test("who takes a number is called") func called() async throws {
///     try await withServer(viewModels: [.hosting(TicketMachine.init(model:))]) { server in
///         let machine = try await server.session().viewModel(TicketMachine.self)
///         try await machine.act("take")
///         #expect(try await machine.act("call").display == "Number 1, please")
///     }
/// }
/// ```
/// - Parameters:
///   - viewModels: what it hosts.
///   - languages: those that they speak; English alone where nothing is said.
///   - store: where it keeps its sessions; closed by whoever made it.
///   - clock: what it goes by, for view models that are given it, too.
///   - options: how it runs, but for where it listens.
/// - Throws: what the test throws; `StartError`; `DeclarationFault`.
public func withServer<Result>(
    viewModels: [Declaration], languages: Languages = Languages(.english), store: any SessionStore = MemoryStore(),
    clock: ManualTimeline = ManualTimeline(), options: BinderyServer.Options = TestServer.options,
    isolation: isolated (any Actor)? = #isolation,
    _ test: (TestServer) async throws -> Result
) async throws -> Result {
    try await ServerPlaces.within(isolation: isolation) {
        let server = try TestServer(
            viewModels: viewModels, languages: languages, store: store, clock: clock, options: options)
        do {
            let result = try await test(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}

/// The same with all that a program is: its view models, its languages, and its options, as bounds and wording.
///
/// ```swift
/// try await withServer(Tickets.self) { server in
///     let machine = try await server.session().viewModel(TicketMachine.self)
///     #expect(try await machine.act("take").canCall)
/// }
/// ```
/// What concerns the machine is the test's, as ``TestServer/options(of:)`` says; so is the store.
///
/// - Parameters:
///   - program: what it hosts.
///   - store: where it keeps its sessions; closed by whoever made it.
///   - clock: what it goes by.
/// - Throws: what the test throws; `StartError`; `DeclarationFault`.
public func withServer<Result>(
    _ program: any BinderyProgram.Type, store: any SessionStore = MemoryStore(),
    clock: ManualTimeline = ManualTimeline(), isolation: isolated (any Actor)? = #isolation,
    _ test: (TestServer) async throws -> Result
) async throws -> Result {
    try await withServer(
        viewModels: program.viewModels, languages: program.languages, store: store, clock: clock,
        options: TestServer.options(of: program), isolation: isolation, test)
}

/// A server in the test's process, on a free port of the loopback, with a clock that the test moves.
///
/// It is a whole server: what is asked of it goes over HTTP. Its time stands still until the test moves it: no poll ends, no
/// action runs out of time and no session expires before. Safe from any thread; as many as one likes at a time.
public final class TestServer: Sendable {
    /// The options of a server in a test: one thread, waits of exactly the length that was asked for, and patience with clients
    /// that a busy machine makes slow.
    public static var options: BinderyServer.Options { patient(BinderyServer.Options()) }

    /// The options of a program, where its server is one of a test: as ``options`` where time and threads are concerned, and without
    /// a listener for operators or a socket that is handed over.
    public static func options(of program: any BinderyProgram.Type) -> BinderyServer.Options {
        var options = patient(program.options)
        (options.admin, options.socket, options.adminSocket) = (nil, nil, nil)
        (options.program, options.programVersion) = (program.name, program.version.isEmpty ? nil : program.version)
        return options
    }

    private static func patient(_ options: BinderyServer.Options) -> BinderyServer.Options {
        var options = options
        options.service.waitJitter = 0
        options.server.threads = 1
        options.server.idleTimeout = .seconds(600)
        options.server.headTimeout = .seconds(600)
        options.server.grace = .seconds(600)
        return options
    }

    /// Where it listens, the same after each ``restart(viewModels:)``.
    public let url: URL
    /// The time by which it goes.
    public let clock: ManualTimeline
    /// Asks it, each action once: whatever comes of it, the test is told.
    public let client: BinderyClient
    /// What can go wrong.
    public let faults: Faults
    private let store: ScriptedStore
    private let options: BinderyServer.Options
    private let languages: Languages
    /// Never listens: it keeps the port while servers come and go on it.
    private let reserved: LoopbackSocket
    private let running: Lock<(server: BinderyServer, viewModels: [Declaration])>

    /// Starts one; to be stopped by ``stop()``.
    ///
    /// ``withServer(viewModels:languages:store:clock:options:isolation:_:)`` does both.
    ///
    /// - Parameters:
    ///   - viewModels: what it hosts.
    ///   - languages: those that they speak; English alone where nothing is said.
    ///   - store: where it keeps its sessions; closed by whoever made it.
    ///   - clock: what it goes by, for view models that are given it, too.
    ///   - options: how it runs, but for where it listens.
    /// - Throws: `StartError`; `DeclarationFault`.
    public init(
        viewModels: [Declaration], languages: Languages = Languages(.english), store: any SessionStore = MemoryStore(),
        clock: ManualTimeline = ManualTimeline(), options: BinderyServer.Options = TestServer.options
    ) throws {
        reserved = try LoopbackSocket()
        var options = options
        (options.host, options.port) = ("127.0.0.1", reserved.port)
        (self.options, self.languages, self.clock, self.store) = (options, languages, clock, ScriptedStore(store))
        guard let url = URL(string: "http://127.0.0.1:\(reserved.port)") else { throw URLError(.badURL) }
        self.url = url
        var patience = BinderyClient.Options()
        patience.actionPatience = .zero
        patience.changesPatience = .seconds(30)
        (patience.firstPause, patience.longestPause) = (.milliseconds(2), .milliseconds(100))
        client = BinderyClient(url, options: patience)
        faults = Faults(store: self.store, client: client)
        let server = BinderyServer(
            viewModels: viewModels, languages: languages, store: self.store, options: options, timeline: clock)
        running = Lock((server, viewModels))
        try server.start()
    }

    /// Begins a session.
    ///
    /// - Parameter language: in which its view models speak; nil for what Foundation asks for by itself, which on Linux is English.
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``.
    public func session(language: Language? = nil) async throws -> RemoteSession {
        try await client.session(language: language)
    }

    /// The session that all share who bring no token.
    public var publicSession: RemoteSession { client.publicSession }

    /// Stops the server, whatever still waits, and starts another on the same store and port.
    ///
    /// Its sessions are read from the store when they are next asked for; polls and streams lose their connections.
    ///
    /// - Parameter viewModels: those of an older or a newer build; nil for the same.
    /// - Throws: `StartError`; `DeclarationFault`.
    public func restart(viewModels: [Declaration]? = nil) async throws {
        await stop()
        let viewModels = viewModels ?? running.withLock { $0.viewModels }
        let server = BinderyServer(
            viewModels: viewModels, languages: languages, store: store, options: options, timeline: clock)
        // What it was is released after unlocking, and with it what changed by itself there.
        _ = running.withLock { running in
            defer { running = (server, viewModels) }
            return running
        }
        try server.start()
    }

    /// Stops the server; who asks is refused from then on.
    public func stop() async {
        // Else the server waits 40 ms for the client's system to acknowledge the last answer (tcp(7), TCP_QUICKACK).
        client.closeIdleConnections()
        await server.stop(within: .zero)
    }

    /// Does what a server does now and then, by the time that it is: ends sessions that nobody used for their time to live, forgets
    /// what came of idempotency keys that are as old as they are kept, and lets those sessions leave memory that nobody used for
    /// their time in memory, or waits on.
    ///
    /// ```swift
    /// server.clock.advance(by: .seconds(60))
    /// await server.tidy()
    /// ```
    /// - Returns: how many sessions ended, and how many left memory.
    @discardableResult
    public func tidy() async -> (ended: Int, evicted: Int) {
        let registry = server.registry
        let ended = await registry.endExpired()
        await registry.forgetOutcomes()
        return (ended, await registry.evictIdle())
    }

    /// How many sessions are in memory, the public one among them.
    public var sessionsInMemory: Int { server.registry.count }

    /// Returns once so many polls and streams of a session wait for a change, so that a test moves the clock, or acts, under
    /// their eyes.
    ///
    /// Streams that ask for the same wait as one.
    ///
    /// - Throws: ``NothingCame`` after a minute.
    public func waits(
        _ count: Int = 1, in session: RemoteSession, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        var waiting = 0
        let isThere = await eventually(within: .seconds(60)) {
            waiting = known(session)?.standing.waits ?? 0
            return waiting == count
        }
        guard isThere else {
            throw NothingCame(
                "\(waiting) polls and streams wait for the session, not \(count): begin them in a task of their own.",
                fileID,
                line)
        }
    }

    /// What an output shows over time, from now on.
    ///
    /// It is read off the commits: what was shown for a moment only is in it, too, which a client may not see.
    ///
    /// - Parameter path: of an output that is a plain property.
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``.
    public func history<Owner: ViewModel, Value: Decodable & Sendable>(
        of path: KeyPath<Owner, Value>, in viewModel: RemoteViewModel<Owner>
    ) async throws -> OutputHistory<Value> { try await history(at: path, in: viewModel) }

    /// The same for an output that is a `Variable`, a `Constant` or the `$` face of a `Posted` property.
    public func history<Owner: ViewModel, Value: Decodable & Sendable>(
        of path: KeyPath<Owner, some ReadableVariable<Value>>, in viewModel: RemoteViewModel<Owner>
    ) async throws -> OutputHistory<Value> { try await history(at: path, in: viewModel) }

    private func history<Owner: ViewModel, Value: Decodable & Sendable>(
        at path: PartialKeyPath<Owner>, in viewModel: RemoteViewModel<Owner>
    ) async throws -> OutputHistory<Value> {
        let first = store.commits.count
        let state = try await viewModel.state()
        return OutputHistory(
            first: (try state.value(at: path), try state.json(at: path)), at: state.cursor,
            output: (viewModel.name, try Owner.outputName(at: path))
        ) { [store, id = viewModel.session.sessionID] in store.commits[first...].filter { $0.id == id } }
    }

    /// The model of a view model as the store has it now, for the `olderModels` of the builds to come.
    ///
    /// Printed, it is the line of Swift that makes it:
    ///
    /// ```swift
    /// print(try await server.storedModel(of: machine) ?? "nothing yet")
    /// ```
    /// - Returns: nil for a view model that no action has touched, of which nothing is stored.
    /// - Throws: `StoreFailure`.
    public func storedModel(of viewModel: RemoteViewModel<some ViewModel>) async throws -> OlderModel? {
        try await store.behind.load(viewModel.session.sessionID)?.viewModels[viewModel.name].map {
            OlderModel(String(decoding: $0.model, as: UTF8.self), version: $0.version)
        }
    }

    private var server: BinderyServer { running.withLock { $0.server } }

    private func known(_ session: RemoteSession) -> Session? {
        let registry = server.registry
        guard let token = session.token.flatMap({ SessionToken($0) }) else {
            if case .now(let session) = registry.publicSession() { return session }
            return nil
        }
        if case .now(let session) = registry.session(for: token) { return session }
        return nil
    }
}

extension RemoteSession {
    /// The name under which the store has it.
    fileprivate var sessionID: SessionID { token.flatMap { SessionToken($0) }?.sessionID ?? .public }
}
