import Entities
import Events
import HTTP
import Locking
import Synchronization
import ViewModels

/// A server: its view models, sessions, service and sockets.
///
/// Any thread may use it.
/// ```swift
/// try await BinderyServer(viewModels: [.hosting(TicketMachine.self)]).run { print($0) }
/// ```
public final class BinderyServer: Sendable {
    /// The options of a server.
    public struct Options: Sendable {
        /// The address to listen on: an IP address or `localhost`.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 for a free one.
        public var port: UInt16 = 8080
        /// The bounds of sessions.
        public var sessions = SessionLimits()
        /// How the service treats its clients.
        public var service = ServiceOptions()
        /// The bounds of connections.
        public var server = ServerLimits()
        /// The proxies whose forwarding headers the server trusts.
        public var trustedProxies: [IPNetwork] = []
        /// How long the server still serves everything after a stop begins, while `/readyz` is 503.
        ///
        /// A load balancer sees the 503 and sends no more clients. At most ``BinderyServer/drainTime``.
        public var drainDelay = Duration.zero
        /// Whether the server starts no effects and no timers, for example after a restore; they stay in the store.
        public var holdsEffects = false
        /// The address of the listener for operators, which clients should not reach; nil for no listener.
        public var admin: Address?
        /// The name of the program, for the log, `GET /` and the OpenAPI description.
        public var program = "Bindery"
        /// The version of the program.
        public var programVersion = Version.current
        /// The options that the program received, such as `port=8080`, for the event `server-started`.
        public var given: [String] = []

        /// The default options.
        public init() {}

        /// An address and a port.
        public struct Address: Sendable, Equatable {
            /// An IP address or `localhost`.
            public var host: String
            /// The port; 0 for a free one.
            public var port: UInt16

            /// An address to listen on.
            public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
        }

        static func allowedHosts(at address: String) -> AllowedHosts {
            address == "localhost" || IPAddress(address)?.isLoopback == true ? .loopback : .any
        }
    }

    /// How long a stop may take before the server cuts off running requests and effects.
    public static let drainTime = Duration.seconds(8)

    let options: Options
    let log: (any ExchangeLog)?
    let service: Service
    let server: Server
    let admin: Server?
    private let adminPort = Atomic<UInt16>(0)

    /// Makes a server that does not listen yet.
    ///
    /// - Parameter open: opens the store after the check of the declarations; it gets the log for the store's events.
    ///   ``run(started:stopping:)`` closes the store.
    /// - Throws: ``DeclarationFault``, ``StaticFilesError``, and the errors of `open`.
    package init(
        viewModels: [Declaration], languages: Languages = Languages(.english), options: Options = Options(),
        log: (any ExchangeLog)? = nil, timer: any Timing = TimerThread(),
        open: ((any ExchangeLog)?) throws -> any EntityStore
    ) throws {
        let metrics = options.admin.map { _ in Metrics(before: log) }
        // The metrics count the server's requests, not those of the listener for operators.
        let (given, log): ((any ExchangeLog)?, (any ExchangeLog)?) = (log, metrics ?? log)
        (self.options, self.log) = (options, log)
        service = try Service(viewModels: viewModels, languages: languages, options: options, log: log, timer: timer) {
            try open(log)
        }
        server = Server(
            routes: service.routes, limits: options.server, log: log, trustedProxies: options.trustedProxies,
            refusal: service.refusal)
        if let address = options.admin, let metrics {
            let hosts = Options.allowedHosts(at: address.host)
            // The main server leaves descriptors free for these connections.
            var limits = options.server
            (limits.threads, limits.connections, limits.connectionsPerAddress) = (1, 16, 16)
            let routes = service.adminRoutes(of: server, metrics, under: hosts)
            admin = Server(routes: routes, limits: limits, log: given) { $1.explained }
        } else {
            admin = nil
        }
    }

    package var registry: Registry { service.registry }
    package var catalogue: Catalogue { service.catalogue }

    /// Checks the declarations, also against the server's own paths and problems.
    package static func catalogue(of viewModels: [Declaration]) throws(DeclarationFault) -> Catalogue {
        try Catalogue(
            viewModels, reservedNames: Service.reservedNames, reservedProblems: Set(ProblemType.allCases.map(\.slug)))
    }

    /// Whether no handler has held an event loop for 10 s; if false, a supervisor should restart the process.
    public var isResponsive: Bool { server.gauges.heldFor < Service.heldLimit }

    /// Listens and starts housekeeping; the server then lives until it stops.
    ///
    /// - Returns: the port.
    /// - Throws: ``StartError``, for example if another process has the port, or that of ``Options/admin``.
    @discardableResult
    public func start() throws -> UInt16 {
        if let admin, let address = options.admin {
            adminPort.store(try admin.start(host: address.host, port: address.port), ordering: .relaxed)
        }
        do {
            let port = try server.start(host: options.host, port: options.port)
            registry.start()
            return port
        } catch {
            Task { await admin?.stop(within: .zero) }
            throw error
        }
    }

    /// The URL of the listener for operators; nil before the start and if there is no listener.
    public var adminURL: String? {
        let port = adminPort.load(ordering: .relaxed)
        return port == 0 ? nil : options.admin.map { Self.url(of: $0.host, port) }
    }

    static func url(of host: String, _ port: UInt16) -> String {
        host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
}
