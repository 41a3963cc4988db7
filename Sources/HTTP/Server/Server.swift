internal import CHTTPShim
package import Events
import Glibc

/// An HTTP/1.1 server.
///
/// Any thread may call it. Its threads live from `start` to the end of `stop`. A server that is dropped while it runs stops
/// in the background and does not wait for its requests.
package final class Server: Sendable {
    let core: ServerCore

    /// The number of descriptors that the process may have; the soft limit is raised to the hard one first.
    package let fileDescriptorLimit: Int

    /// Completes a problem for its request, as by header fields.
    package typealias Dressing = @Sendable (_ problem: Problem, _ request: Request) -> Problem

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - log: gets an entry for each request, and events.
    ///   - trustedProxies: the server believes these about the client of a request (``Request/client``).
    ///   - dressing: completes each problem that is sent, also for requests that no handler sees.
    package init(
        routes: [Route], limits: ServerLimits = .init(), log: (any ExchangeLog)? = nil,
        trustedProxies: TrustedProxies = .none, dressing: @escaping Dressing = { problem, _ in problem }
    ) {
        fileDescriptorLimit = Self.raiseDescriptorLimit()
        core = ServerCore(
            routes: routes, limits: limits.resolved(descriptors: fileDescriptorLimit), log: log,
            trustedProxies: trustedProxies, dressing: dressing)
    }

    deinit {
        // In the background: a handler may drop the last reference, and an event loop cannot wait for itself.
        core.stop(within: .zero) {}
    }

    private static func raiseDescriptorLimit() -> Int {
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        var raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        if setrlimit(descriptors, &raised) == 0 { limit = raised }
        return min(Int(clamping: limit.rlim_cur), 1 << 20)
    }

    /// Listens on an IPv4 or IPv6 literal or "localhost", once per server, and returns the port; 0 picks a free one.
    package func start(host: String = "127.0.0.1", port: UInt16 = 0) throws(StartError) -> UInt16 {
        try core.start(host: host, port: port, inherited: -1)
    }

    /// Listens on a socket that listens already, and returns its port.
    ///
    /// - Parameters:
    ///   - descriptor: the server takes it over, and closes it also if it does not start.
    ///   - host: where it listens, for the text of an error.
    package func start(on descriptor: Int32, at host: String) throws(StartError) -> UInt16 {
        try core.start(host: host, port: 0, inherited: descriptor)
    }

    /// Closes the connection of every later answer; the server still accepts and serves.
    package func beginDraining() {
        if let shim = core.shim { http_server_begin_draining(shim) }
    }

    /// Stops accepting from a socket that was handed over, so that the next process takes its clients.
    package func leaveClients() {
        if let shim = core.shim { http_server_leave_clients(shim) }
    }

    /// Waits for running requests, at most `limit`; then answers those that wait with 503 and closes everything.
    ///
    /// The last answers get a second to leave. Each call returns when the server has stopped.
    package func stop(within limit: Duration) async {
        beginDraining()
        await withCheckedContinuation { continuation in core.stop(within: limit) { continuation.resume() } }
    }

    /// The limits in force, with the defaults filled in.
    package var limits: ServerLimits { core.limits }

    /// What the server does now.
    package var gauges: ServerGauges { ServerGauges(core.shim.map { http_server_gauges($0) } ?? http_gauges()) }

    /// The event loops.
    package var loops: [ServerLoop] { core.loops }
}

/// What a server does at a moment.
package struct ServerGauges: Sendable, Equatable {
    /// Open connections.
    package let connections: Int
    /// Requests from their head to the end of their answer.
    package let running: Int
    /// Of these: requests that wait for their answer, and streams that wait for events.
    package let parked: Int
    /// Requests in memory, also those that are over and still referenced.
    package let exchanges: Int
    /// Requests so far: the next ``Request/number``.
    package let begun: UInt64
    /// Whether draining has begun.
    package let isDraining: Bool

    fileprivate init(_ shim: http_gauges) {
        (connections, running, parked) = (shim.connections, shim.running, shim.parked)
        (exchanges, begun, isDraining) = (shim.exchanges, shim.begun, shim.draining)
    }
}

/// One event loop at a moment.
package struct ServerLoop: Sendable {
    /// Its connections.
    package let connections: Int
    /// The age of the handler that runs on it; zero if none does.
    package let heldFor: Duration
    /// The method and template of the route that holds it for longer than ``ServerLimits/heldAfter``, as `GET /counter`.
    package let heldBy: String?

    /// Whether a handler holds it for longer than ``ServerLimits/heldAfter``.
    package var isHeld: Bool { heldBy != nil }
}

extension Server: Measured {
    /// Connections and event loops, for the metrics page.
    package var measures: [Measure] {
        let (gauges, limits, loops) = (gauges, limits, loops)
        func samples(_ number: (ServerLoop) -> Int) -> [Measure.Sample] {
            zip(1..., loops).map { Measure.Sample([Measure.Label("loop", "\($0)")], Double(number($1))) }
        }
        return [
            Measure(.gauge, "bindery_connections", "Connections that are open.", gauges.connections),
            Measure(.gauge, "bindery_connections_limit", "Connections that may be open.", limits.connections),
            Measure(.counter, "bindery_connections_cut_total", "Connections that missed a deadline.", core.cut),
            Measure(
                .counter, "bindery_connections_malformed_total",
                "Connections that ended in a head that libmicrohttpd refused or that never was complete.",
                core.malformed),
            Measure(.gauge, "bindery_requests_running", "Requests that arrive, wait or are answered.", gauges.running),
            Measure(.gauge, "bindery_requests_parked", "Of these, those that wait or stream.", gauges.parked),
            Measure(.gauge, "bindery_loop_connections", "Connections of an event loop.", samples(\.connections)),
            Measure(
                .gauge, "bindery_loop_held", "1 if a handler holds an event loop for longer than it may.",
                samples { $0.isHeld ? 1 : 0 }),
        ]
    }
}
