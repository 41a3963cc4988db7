internal import CHTTPShim
import Dispatch
import Locking

/// An HTTP/1.1 server.
///
/// Started once and stopped once; all of it may be called from any thread. Its threads live from `start` to the end of
/// `stop`; one that is dropped unstopped is stopped in the background, without waiting for its handlers.
package final class Server: Sendable {
    private enum Phase {
        case made
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    let core: ServerCore
    private let phase = Lock(Phase.made)

    /// How many descriptors the process may have; the soft limit is raised to the hard one first.
    package let fileDescriptorLimit: Int

    /// Words a problem for whoever asked with that `Accept-Language`, nil for none: its title and its detail, perhaps with fields
    /// that say so.
    package typealias Wording = @Sendable (_ problem: Problem, _ acceptLanguage: String?) -> Problem

    /// Makes a server; nothing listens yet.
    ///
    /// - Parameters:
    ///   - trustedProxies: the proxies that are believed about the client of a request (``Request/client``).
    ///   - refusalFields: the fields of a refusal that no handler has seen, such as a 404, for a page of that `Origin`.
    ///   - wording: puts problems into the words of whoever asked; not those of a request whose head was not read.
    package init(
        routes: [Route], limits: ServerLimits = .init(), log: (any ExchangeLog)? = nil,
        trustedProxies: TrustedProxies = .none,
        refusalFields: @escaping @Sendable (_ origin: String) -> [Response.Header] = { _ in [] },
        wording: @escaping Wording = { problem, _ in problem }
    ) {
        fileDescriptorLimit = http_raise_descriptor_limit()
        core = ServerCore(
            routes: routes, limits: limits, log: log, trustedProxies: trustedProxies, refusalFields: refusalFields,
            wording: wording)
    }

    deinit {
        guard case .running = phase.withLock({ $0 }) else { return }
        // Not here: a handler may have dropped the last reference, and its event loop cannot wait for itself.
        DispatchQueue(label: "http.stop").async { [core] in
            if let shim = core.shim { http_server_stop(shim.raw, 0) }
            core.pace.tellAll()
        }
    }

    /// Listens on an IPv4 or IPv6 literal or "localhost" and returns the port, a free one for 0.
    package func start(host: String = "127.0.0.1", port: UInt16 = 0) throws(StartError) -> UInt16 {
        try start(host: host, port: port) { http_server_start($0, host, port, &$1) }
    }

    /// Listens on a socket that listens already, and returns its port.
    ///
    /// - Parameters:
    ///   - descriptor: taken over, and closed with the server or where it does not start. What has connected and is not
    ///     accepted by then is left to who else has the socket, such as a service manager: a restart refuses nobody.
    ///   - host: where it listens, for the words of an error.
    package func start(on descriptor: Int32, at host: String) throws(StartError) -> UInt16 {
        try start(host: host, port: 0) { http_server_start_on($0, descriptor, &$1) }
    }

    private func start(
        host: String, port: UInt16, _ listen: (OpaquePointer, inout UInt16) -> http_start
    ) throws(StartError) -> UInt16 {
        guard let shim = core.shim else {
            throw StartError(core.failure ?? .outOfResources, host: host, port: port)
        }
        let isFirst = phase.withLock { phase in
            guard case .made = phase else { return false }
            phase = .running
            return true
        }
        guard isFirst else { throw StartError(.alreadyStarted, host: host, port: port) }
        var bound: UInt16 = 0
        if let code = StartError.Code(listen(shim.raw, &bound)) {
            phase.withLock { $0 = .stopped }
            throw StartError(code, host: host, port: port)
        }
        return bound
    }

    /// From here on every answer closes its connection; requests are still served.
    package func beginDraining() {
        guard let shim = core.shim else { return }
        http_server_begin_draining(shim.raw)
    }

    /// Leaves clients to whoever serves a socket next that was handed over: a tenth of a second later none is accepted of it any
    /// more, and those who were are served.
    ///
    /// Nothing changes where the server listens by itself.
    package func leaveClients() {
        guard let shim = core.shim else { return }
        http_server_leave_clients(shim.raw)
    }

    /// Drains to the end: waits for what runs, at most `limit`; then answers what still waits with 503, cancels its
    /// tasks, and closes everything.
    ///
    /// Those last answers are given a second to leave.
    ///
    /// Idempotent; every call returns once it is over. A handler that blocks its thread for ever keeps it from returning.
    package func stop(within limit: Duration) async {
        beginDraining()
        await withCheckedContinuation { continuation in
            let (isFirst, isOver) = phase.withLock { phase in
                switch phase {
                case .running:
                    phase = .stopping([continuation])
                    return (true, false)
                case .stopping(let waiting):
                    phase = .stopping(waiting + [continuation])
                    return (false, false)
                case .made, .stopped:
                    phase = .stopped
                    return (false, true)
                }
            }
            if isOver { continuation.resume() }
            if isFirst { stopInBackground(within: limit) }
        }
    }

    /// Blocks a thread of its own: the tasks it waits for need theirs.
    private func stopInBackground(within limit: Duration) {
        DispatchQueue(label: "http.stop").async { [self] in
            if let shim = core.shim { http_server_stop(shim.raw, limit.wholeMilliseconds) }
            core.pace.tellAll()
            let waiting = phase.withLock { phase in
                guard case .stopping(let waiting) = phase else { return [CheckedContinuation<Void, Never>]() }
                phase = .stopped
                return waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// What it is doing now; for health checks and tests.
    package var gauges: ServerGauges {
        ServerGauges(core.shim.map { http_server_gauges($0.raw) } ?? http_gauges())
    }

    /// The limits in force, the defaults filled in.
    package var limits: ServerLimits {
        ServerLimits(core.shim.map { http_server_limits($0.raw) } ?? http_limits())
    }
}

/// What a server is doing at a moment.
package struct ServerGauges: Sendable, Equatable {
    /// Open connections.
    package let connections: Int
    /// Requests that arrive, or are not answered to the end.
    package let running: Int
    /// Of these, the suspended: waiting for an answer, or streaming.
    package let parked: Int
    /// Connections that are over for us, and are read off, until the client has closed them too or taken its answers.
    package let lingering: Int
    /// Requests in memory, including those that are over while their ``Request`` is still held.
    package let exchanges: Int
    /// Requests there have ever been: none has a ``Request/number`` as large yet.
    package let begun: UInt64
    /// Whether draining has begun: every answer closes its connection.
    package let isDraining: Bool

    init(_ shim: http_gauges) {
        connections = shim.connections
        running = shim.running
        parked = shim.parked
        lingering = shim.lingering
        exchanges = shim.exchanges
        begun = shim.begun
        isDraining = shim.draining
    }
}
