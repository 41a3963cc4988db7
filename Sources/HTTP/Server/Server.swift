internal import CHTTPShim
import Dispatch
internal import Events
import Glibc
import Locking

/// An HTTP/1.1 server.
///
/// Any thread may call it. Its threads live from `start` to the end of `stop`, and so does the server: each server that was
/// started must be stopped.
package final class Server: Sendable {
    /// Completes a problem for its request, as by header fields.
    package typealias Dressing = @Sendable (_ problem: Problem, _ request: Request) -> Problem

    /// The number of descriptors that the process may have; the soft limit is raised to the hard one first.
    package let fileDescriptorLimit: Int
    /// The limits in force, with the defaults filled in.
    package let limits: ServerLimits
    let routes: [Route]
    let log: (any ExchangeLog)?
    let trustedProxies: TrustedProxies
    let dressing: Dressing
    /// Watches the event loops, and keeps the server.
    private let watch = Lock<Task<Void, Never>?>(nil)
    private let stops = DispatchQueue(label: "http.stop")
    // Safe: never changed, and freed after the shim's server, which reads them.
    private nonisolated(unsafe) let shimRoutes: UnsafeMutableBufferPointer<http_route>
    private nonisolated(unsafe) let exempt: UnsafeMutableBufferPointer<http_network>
    /// The shim's server; nil only inside of `init`.
    // Safe: set once in `init`, and any thread may call the shim's functions on it (CHTTPShim.h).
    private nonisolated(unsafe) var shim: OpaquePointer?

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
        self.limits = limits.resolved(descriptors: fileDescriptorLimit)
        // A literal goes before a parameter: '{' is above all letters.
        self.routes = routes.sorted { $0.pattern < $1.pattern }
        shimRoutes = .allocate(capacity: routes.count)
        _ = shimRoutes.initialize(from: self.routes.map(\.shim))
        // Loopback and trusted proxies speak for many clients.
        let networks = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) } + trustedProxies.networks
        exempt = .allocate(capacity: networks.count)
        _ = exempt.initialize(from: networks.map(\.shim))
        (self.log, self.trustedProxies, self.dressing) = (log, trustedProxies, dressing)
        shim = makeShim()
    }

    deinit {
        http_server_destroy(shim)
        shimRoutes.deallocate()
        exempt.deallocate()
    }

    private static func raiseDescriptorLimit() -> Int {
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        var raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        if setrlimit(descriptors, &raised) == 0 { limit = raised }
        return min(Int(clamping: limit.rlim_cur), 1 << 20)
    }

    private func makeShim() -> OpaquePointer? {
        var callbacks = http_callbacks(request: shimRequest, hung_up: shimHungUp, turned_away: shimTurnedAway)
        var limits = limits.shim
        (limits.exempt, limits.exempt_count) = (UnsafePointer(exempt.baseAddress), exempt.count)
        // Unretained: no callback comes before the start or after the stop.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        return http_server_create(shimRoutes.baseAddress, shimRoutes.count, &limits, &callbacks, owner)
    }

    /// Whether the calling thread is an event loop of a server.
    package static var isOnEventLoop: Bool { http_is_event_loop() }

    /// Listens on an IPv4 or IPv6 literal or "localhost", once per server, and returns the port; 0 picks a free one.
    package func start(host: String = "127.0.0.1", port: UInt16 = 0) throws(StartError) -> UInt16 {
        try start(host, port, inherited: -1)
    }

    /// Listens on a socket that listens already, and returns its port.
    ///
    /// - Parameters:
    ///   - descriptor: the server takes it over, and closes it also if it does not start.
    ///   - host: where it listens, for the text of an error.
    package func start(on descriptor: Int32, at host: String) throws(StartError) -> UInt16 {
        try start(host, 0, inherited: descriptor)
    }

    private func start(_ host: String, _ port: UInt16, inherited: Int32) throws(StartError) -> UInt16 {
        var bound: UInt16 = 0
        let error = http_server_start(shim, host, port, inherited, &bound)
        guard error == 0 else { throw StartError(error, host: host, port: port) }
        watch.withLock { $0 = Task { [self] in await watchLoops() } }
        return bound
    }

    /// Closes the connection of every later answer; the server still accepts and serves.
    package func beginDraining() {
        http_server_begin_draining(shim)
    }

    /// Stops accepting from a socket that was handed over, so that the next process takes its clients.
    package func leaveClients() {
        http_server_leave_clients(shim)
    }

    /// Waits for running requests, at most `limit`; then answers those that wait with 503 and closes everything.
    ///
    /// The last answers get a second to leave. Each call returns when the server has stopped.
    package func stop(within limit: Duration) async {
        beginDraining()
        await withCheckedContinuation { continuation in
            // On a queue of its own: the shim blocks, and takes one call at a time.
            stops.async { [self] in
                http_server_stop(shim, limit.wholeMilliseconds)
                watch.withLock { $0.take() }?.cancel()
                continuation.resume()
            }
        }
    }

    /// What the server does now.
    package var gauges: ServerGauges {
        let gauges = http_server_gauges(shim)
        return ServerGauges(
            connections: gauges.connections, running: gauges.running, parked: gauges.parked, begun: gauges.begun)
    }

    /// The event loops.
    package var loops: [ServerLoop] {
        (0..<UInt32(limits.threads)).map { number in
            let gauges = http_server_loop_gauges(shim, number)
            let heldFor = Duration.milliseconds(gauges.held_milliseconds)
            let route = heldFor > limits.heldAfter && gauges.route >= 0 ? routes[Int(gauges.route)] : nil
            return ServerLoop(heldFor: heldFor, heldBy: route.map { "\($0.method.rawValue) \($0.template)" })
        }
    }

    /// Logs each handler that holds an event loop for longer than it may, once.
    private func watchLoops() async {
        let period = min(limits.heldAfter / 2, .milliseconds(500))
        var before: [String?] = Array(repeating: nil, count: limits.threads)
        while (try? await Task.sleep(for: period)) != nil {
            let loops = loops
            for (number, (loop, former)) in zip(1..., zip(loops, before)) where loop.heldBy != former {
                guard let route = loop.heldBy?.split(separator: " ") else { continue }
                log?.record(
                    Event(
                        .loopHeld,
                        [
                            "loop": .number(number), "loops": .number(loops.count),
                            "method": .text(String(route[0])), "route": .text(String(route[1])),
                            "milliseconds": .number(Int(clamping: loop.heldFor.wholeMilliseconds)),
                        ]))
            }
            before = loops.map(\.heldBy)
        }
    }

    /// Logs that a client was turned away at a bound, or because accepting failed with an error of errno(3).
    fileprivate func turnedAway(_ client: IPAddress?, at bound: http_refusal, _ error: Int32) {
        let (name, limit): (String, Int?) =
            switch (bound, error) {
            case (HTTP_REFUSAL_FULL, _): ("max-connections", limits.connections)
            case (HTTP_REFUSAL_ADDRESS_FULL, _): ("max-connections-per-address", limits.connectionsPerAddress)
            case (_, EMFILE), (_, ENFILE): ("open-files", nil)
            case (_, ENOBUFS), (_, ENOMEM): ("memory", nil)
            default: ("accept", nil)
            }
        log?.record(.boundReached(name, limit: limit, by: client?.network))
    }
}

/// What a server does at a moment.
package struct ServerGauges: Sendable, Equatable {
    /// Open connections.
    package let connections: Int
    /// Requests from their head to the end of their answer.
    package let running: Int
    /// Of these: requests that wait for their answer, and streams that wait for events.
    package let parked: Int
    /// Requests so far: the next ``Request/number``.
    package let begun: UInt64
}

/// One event loop at a moment.
package struct ServerLoop: Sendable {
    /// The age of the handler that runs on it; zero if none does.
    package let heldFor: Duration
    /// The method and template of the route that holds it for longer than ``ServerLimits/heldAfter``, as `GET /counter`.
    package let heldBy: String?
}

// The callbacks of the shim. They run on its threads, so they are nonisolated functions and no closures.

private func server(_ owner: UnsafeMutableRawPointer?) -> Server? {
    // Alive: it lives from `start` to the end of `stop`.
    owner.map { Unmanaged<Server>.fromOpaque($0).takeUnretainedValue() }
}

private func shimRequest(
    _ owner: UnsafeMutableRawPointer?, _ exchange: OpaquePointer?, _ request: UnsafePointer<http_request>?
) -> UnsafeMutableRawPointer? {
    guard let server = server(owner), let exchange, let request else { return nil }
    let responder = Responder(exchange, request, server: server)
    // shimHungUp() takes the retained reference.
    return responder.run() ? nil : Unmanaged.passRetained(responder).toOpaque()
}

private func shimHungUp(_ context: UnsafeMutableRawPointer?, _ departure: http_departure) {
    context.map { Unmanaged<Responder>.fromOpaque($0).takeRetainedValue().hangUp(departure) }
}

private func shimTurnedAway(
    _ owner: UnsafeMutableRawPointer?, _ bound: http_refusal, _ peer: UnsafePointer<UInt8>?, _ error: Int32
) {
    server(owner)?.turnedAway(peer.map { IPAddress(bytes: $0) }, at: bound, error)
}
