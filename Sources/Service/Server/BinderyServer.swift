import Dispatch
import Events
import Glibc
import HTTP
import Sessions
import Synchronization
import ViewModels

/// A whole server: view models, their sessions, the service and the sockets.
///
/// ```swift
/// try await BinderyServer(viewModels: [.hosting(TicketMachine.init(model:))]).run { print($0.url) }
/// ```
/// Safe from any thread.
public final class BinderyServer: Sendable {
    /// Where and how a server runs.
    public struct Options: Sendable {
        /// The address to listen on: an IP address or `localhost`.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 for one that is free.
        public var port: UInt16 = 8080
        /// The bounds within which sessions live.
        public var sessions = SessionLimits()
        /// How callers are dealt with.
        public var service = ServiceOptions()
        /// The bounds within which connections live.
        public var server = ServerLimits()
        /// The proxies whose word on whom they speak for is believed; none by default.
        public var trustedProxies = TrustedProxies.none
        /// How long everything is still served after a stop has begun while `/readyz` is 503 already, so that a balancer
        /// that asks now and then sees it and sends no more clients; default 0, at most ``BinderyServer/drainTime``.
        public var drainDelay = Duration.zero
        /// Where operators and their tools ask: an address and a port, 0 for one that is free; nil for nowhere.
        ///
        /// Whoever reaches it is believed: let it be an address of this machine, or of a network for operators.
        public var admin: Address?
        /// A socket that listens already, as a service manager hands it over; nil, the default, to listen by itself.
        ///
        /// It listens at ``host`` and ``port``, and is taken over by the server.
        public var socket: Int32?
        /// The same at ``admin``.
        public var adminSocket: Int32?
        /// What the program is called, in the event `server-started`, in `GET /` and in the OpenAPI description; nil, the default,
        /// for nothing in the event, and Bindery there.
        public var program: String?
        /// Its version, for the same; nil, the default, for nothing in the event, and 0.0.0 there.
        public var programVersion: String?
        /// What was said on the command line and in the environment, as `port=8080`, for the event `server-started`.
        public var given: [String] = []

        /// The options used where nothing else is said.
        public init() {}

        /// An address and a port.
        public struct Address: Sendable, Equatable {
            /// An IP address or `localhost`.
            public var host: String
            /// The port.
            public var port: UInt16

            /// Names a place to listen.
            public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
        }

        /// The names under which the server may be asked: those of ``ServiceOptions/allowedHosts``, and where nothing is
        /// said, the loopback names where it listens on loopback alone, else any.
        public var allowedHosts: AllowedHosts {
            service.allowedHosts ?? Self.hosts(at: host)
        }

        /// The names under which whoever listens at an address may be asked, where nothing is said.
        static func hosts(at address: String) -> AllowedHosts {
            let isLoopback = address == "localhost" || IPAddress(address)?.isLoopback == true
            return isLoopback ? .loopback : .any
        }
    }

    /// How long a stop may take in all before what still runs is cut off.
    public static let drainTime = Duration.seconds(8)

    /// How long after the first signal the process ends, whatever still hangs: a disk, an action that never returns.
    private static let patience = DispatchTimeInterval.milliseconds(9500)

    /// What a stop is at.
    private enum StopPhase: UInt8, AtomicRepresentable {
        /// No thread has come to it yet.
        case beginning
        /// What runs is answered, or cut off.
        case requests
        /// The store is closed.
        case store
    }

    private let stopPhase = Atomic(StopPhase.beginning)
    private let options: Options
    private let log: (any ExchangeLog)?
    package let registry: SessionRegistry
    let service: Service
    let server: Server
    /// Paths of the service's own at which there are static files, too.
    let hiddenFiles: [String]
    /// Where operators ask, if they may.
    private let admin: Server?
    private let adminService: AdminService?
    private let adminPort = Atomic<UInt16>(0)

    /// Puts a server together that hosts these view models; it does not listen yet.
    ///
    /// Where two view models have one name, ``start()`` throws.
    ///
    /// - Parameters:
    ///   - viewModels: what to host, in the order in which it is listed.
    ///   - languages: those it speaks; English alone where nothing is said.
    ///   - store: where sessions are kept; in memory, where they end with the process, unless another is given.
    ///   - log: is told of every request; nil for none.
    ///   - timeline: the clock by which waits end and sessions expire.
    public convenience init(
        viewModels: [Declaration], languages: Languages = Languages(.english), store: any SessionStore = MemoryStore(),
        options: Options = Options(), log: (any ExchangeLog)? = nil, timeline: any Timeline = SystemTimeline()
    ) {
        self.init(
            catalogue: Catalogue(viewModels, languages: languages), store: store, options: options, log: log,
            timeline: timeline)
    }

    /// Puts a server together that hosts a catalogue.
    ///
    /// - Parameters:
    ///   - store: where sessions are kept.
    ///   - log: is told of every request; nil for none.
    public init(
        catalogue: Catalogue, store: any SessionStore = MemoryStore(), options: Options = Options(),
        log: (any ExchangeLog)? = nil, timeline: any Timeline = SystemTimeline()
    ) {
        self.options = options
        // Counted for whoever may ask.
        let (given, events) = (
            log,
            options.admin.map { _ in EventMetrics(before: log, viewModels: catalogue.viewModels.map(\.name.rawValue)) }
        )
        let log = events ?? log
        self.log = log
        registry = SessionRegistry(catalogue: catalogue, store: store, limits: options.sessions, timeline: timeline)
        var serviceOptions = options.service
        serviceOptions.allowedHosts = options.allowedHosts
        let program = options.program.map { ServedProgram(name: $0, version: options.programVersion) }
        service = Service(
            registry: registry, of: program ?? .bindery, options: serviceOptions, timeline: timeline, log: log)
        let routes = service.routes
        hiddenFiles = service.hiddenFiles(behind: routes)
        let requests = events.map { RequestMetrics(of: routes, before: $0) }
        server = Server(
            routes: routes, limits: options.server, log: requests ?? log, trustedProxies: options.trustedProxies,
            dressing: service.dress)
        guard let events, let requests, let address = options.admin else {
            (adminService, admin) = (nil, nil)
            return
        }
        let adminService = AdminService(
            service: service, server: server,
            watched: [requests, events] + [given as? any Measured].compactMap(\.self),
            hosts: Options.hosts(at: address.host))
        admin = Server(routes: adminService.routes, limits: AdminService.limits(of: options.server), log: log)
        self.adminService = adminService
    }

    /// Listens.
    ///
    /// - Returns: the port it listens on.
    /// - Throws: ``StartError``, as where the port is taken; ``DeclarationFault``; ``StaticFilesError``.
    @discardableResult
    public func start() throws -> UInt16 {
        if let fault = service.registry.catalogue.fault { throw fault }
        if let fault = service.staticFault { throw fault }
        if let admin, let address = options.admin {
            let port = try Self.start(admin, at: address, on: options.adminSocket)
            adminPort.store(port, ordering: .relaxed)
        }
        return try Self.start(server, at: Options.Address(host: options.host, port: options.port), on: options.socket)
    }

    private static func start(
        _ server: Server, at address: Options.Address, on socket: Int32?
    ) throws(StartError) -> UInt16 {
        if let socket { return try server.start(on: socket, at: address.host) }
        return try server.start(host: address.host, port: address.port)
    }

    /// Whether some event loop is free to answer: false where handlers that block hold all of them.
    public var isResponsive: Bool { !server.loops.allSatisfy(\.isHeld) }

    /// What `/metrics` shows; nothing where no listener for operators was asked for.
    package func measures() async -> [Measure] { await adminService?.measures() ?? [] }

    /// Where operators ask, once the server has started; nil where nobody may.
    public var adminURL: String? {
        let port = adminPort.load(ordering: .relaxed)
        return port == 0 ? nil : options.admin.map { StartedServer.url(of: $0.host, port) }
    }

    /// Stops, and answers whatever request has begun to arrive, as far as that takes no longer than ``drainTime``.
    ///
    /// `/readyz` turns 503 and all else is served for the drain delay, once; then waiting polls and streams are answered,
    /// and actions whose head has arrived are done. What is still on its way when the time is over is 503; the sockets
    /// close, also on a request that comes at that moment on a connection that was kept open. Its sender repeats it
    /// elsewhere, an action under its `Idempotency-Key`. Returns when all is over and in the log.
    public func stop() async { await stop(within: Self.drainTime) }

    /// Stops, and cuts off what takes longer.
    ///
    /// - Parameter reason: why, for the log.
    package func stop(within limit: Duration, because reason: String = "stop") async {
        let (start, gauges) = (service.timeline.now, server.gauges)
        log?.record(
            Event(
                .drainBegun,
                [
                    "reason": .text(reason), "seconds": .number(Int(limit.components.seconds)),
                    "connections": .number(gauges.connections), "running": .number(gauges.running),
                ]))
        let isFirst = service.leave()
        let delay = isFirst ? min(options.drainDelay, limit) : .zero
        // Those who were accepted meanwhile are served.
        let handOver = isFirst && options.socket != nil ? min(.milliseconds(250), limit - delay) : .zero
        // From the start: a connection that is kept open to the end would be closed on whoever asks at that moment.
        server.beginDraining()
        if delay > .zero { try? await service.timeline.sleep(until: start + delay) }
        // Not before: who connects during the delay, as a balancer's probe does, is to be told.
        server.leaveClients()
        if handOver > .zero { try? await service.timeline.sleep(until: start + delay + handOver) }
        service.drain(sparing: server.gauges.begun)
        await server.stop(within: limit - delay - handOver)
        // The last to go: it says that the server is about to stop.
        await admin?.stop(within: .zero)
        service.pace.tellAll()
        log?.record(
            Event(.drainEnded, ["milliseconds": .number((service.timeline.now - start).milliseconds)]))
        log?.flush()
    }

    /// Ends sessions whose time is over and lets idle ones leave memory, for as long as the task lives.
    public func keepTidy() async { await registry.keepTidy() }

    /// Listens, serves until SIGTERM or SIGINT, and stops.
    ///
    /// A second signal ends the process at once. SIGHUP is noted in the log, and nothing else.
    ///
    /// Closes the store when it has stopped; where it could not start, the store is still open.
    ///
    /// - Parameters:
    ///   - started: told where the server listens.
    ///   - stopping: called when the stop begins.
    /// - Throws: ``StartError``, as where the port is taken; ``DeclarationFault``; ``StaticFilesError``.
    public func run(
        started: @Sendable (StartedServer) -> Void = { _ in }, stopping: @Sendable () -> Void = {}
    ) async throws {
        try await run(patience: Self.patience, started: started, stopping: stopping)
    }

    func run(
        patience: DispatchTimeInterval, started: @Sendable (StartedServer) -> Void = { _ in },
        stopping: @Sendable () -> Void = {}
    ) async throws {
        let signals = StopSignals(
            patience: patience, hangUp: { [log] in log?.record(Event(.hangUpIgnored)) },
            abandoned: { [self] in tellAbandoned(because: $0, after: $1) })
        let port = try start()
        let begin = ContinuousClock.now
        let server = StartedServer(
            host: options.host, port: port, limits: server.limits, fileDescriptorLimit: server.fileDescriptorLimit)
        if options.server.connections > server.limits.connections {
            log?.record(
                Event(
                    .connectionsLowered,
                    [
                        "given": .number(options.server.connections), "connections": .number(server.limits.connections),
                        "openFiles": .number(server.fileDescriptorLimit),
                    ]))
        }
        if !hiddenFiles.isEmpty { log?.record(Event(.staticFilesHidden, ["paths": .list(hiddenFiles)])) }
        log?.record(event(of: server))
        started(server)
        let tidying = Task { await keepTidy() }
        let reason = await signals.first()
        tidying.cancel()
        stopping()
        stopPhase.store(.requests, ordering: .relaxed)
        await stop(within: Self.drainTime, because: reason)
        stopPhase.store(.store, ordering: .relaxed)
        await registry.close()
        log?.record(
            Event(
                .serverStopped,
                ["reason": .text(reason), "seconds": .number(Int((ContinuousClock.now - begin).components.seconds))]))
        log?.flush()
    }

    /// A second may pass in here where nobody takes the log.
    private func tellAbandoned(because reason: String, after time: Duration) {
        let gauges = server.gauges
        log?.record(
            Event(
                .stopAbandoned,
                [
                    "reason": .text(reason), "phase": .text("\(stopPhase.load(ordering: .relaxed))"),
                    "milliseconds": .number(time.milliseconds), "connections": .number(gauges.connections),
                    "running": .number(gauges.running), "routes": .list(server.loops.compactMap(\.heldBy)),
                ]))
        log?.flush()
    }

    private func event(of server: StartedServer) -> Event {
        let names = registry.catalogue.viewModels.map(\.name.rawValue)
        let hosts = options.allowedHosts
        return Event(
            .serverStarted,
            [
                "program": options.program.map { .text($0) },
                "programVersion": options.programVersion.map { .text($0) },
                "version": .text(Version.current), "revision": Version.revision.map { .text($0) },
                "build": Version.build.map { .text($0) }, "url": .text(server.url),
                "admin": adminURL.map { .text($0) }, "pid": .number(Int(getpid())),
                "threads": .number(server.limits.threads), "connections": .number(server.limits.connections),
                "connectionsPerAddress": .number(server.limits.connectionsPerAddress),
                "openFiles": .number(server.fileDescriptorLimit),
                "hosts": hosts.isAny ? "any" : options.service.allowedHosts == nil ? "loopback" : "named",
                "viewModels": .list(names),
                "options": .list(options.given),
            ])
    }
}

/// Where a server listens.
public struct StartedServer: Sendable {
    /// The address it was told to listen on.
    public let host: String
    /// The port it listens on.
    public let port: UInt16
    /// The bounds within which connections live, as they are in force.
    public let limits: ServerLimits
    /// How many files and sockets the process may have open, after the soft limit was raised to the hard one.
    public let fileDescriptorLimit: Int

    /// The server's URL, without a slash at the end.
    public var url: String { Self.url(of: host, port) }

    static func url(of host: String, _ port: UInt16) -> String {
        host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
}
