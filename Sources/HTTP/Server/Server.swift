internal import CHTTPShim
import Dispatch
internal import Events
import Glibc
import Locking

/// An HTTP/1.1 server.
///
/// Any thread may call it. Once started, it keeps itself and its threads alive until the end of `stop`. So each started
/// server must be stopped.
package final class Server: Sendable {
    /// The limit of descriptors of this process, after the soft limit was raised to the hard one.
    package let fileDescriptorLimit: Int
    /// The limits in force, with the defaults filled in.
    package let limits: ServerLimits
    let routes: [Route]
    let log: (any ExchangeLog)?
    let trustedProxies: [IPNetwork]
    let refusal: @Sendable (Request, Problem) -> Problem
    /// Watches the event loops, and keeps the server alive.
    private let watch = Lock<Task<Void, Never>?>(nil)
    private let stops = DispatchQueue(label: "http.stop")
    // Safe: any thread may call the shim's functions on it (CHTTPShim.h).
    private nonisolated(unsafe) let shim: OpaquePointer

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - log: gets an entry for each request, and events.
    ///   - trustedProxies: the server trusts their fields about the client of a request (``Request/client``).
    ///   - refusal: adds the explanation to a problem if no handler gets the request.
    package init(
        routes: [Route], limits: ServerLimits = .init(), log: (any ExchangeLog)? = nil,
        trustedProxies: [IPNetwork] = [],
        refusal: @escaping @Sendable (Request, Problem) -> Problem = { $1 }
    ) {
        fileDescriptorLimit = Self.raiseDescriptorLimit()
        self.limits = limits.resolved(descriptors: fileDescriptorLimit)
        // '{' sorts after all letters, so literals come first.
        self.routes = routes.sorted { $0.pattern < $1.pattern }
        (self.log, self.trustedProxies, self.refusal) = (log, trustedProxies, refusal)
        var callbacks = http_callbacks(
            request: shimRequest, hung_up: shimHungUp, turned_away: shimTurnedAway, is_exempt: shimIsExempt)
        var shimLimits = self.limits.shim
        shim = http_server_create(&shimLimits, &callbacks)
        for route in self.routes { http_server_add_route(shim, route.method.rawValue, route.pattern) }
    }

    deinit { http_server_destroy(shim) }

    private static func raiseDescriptorLimit() -> Int {
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(descriptors, &limit)
        getrlimit(descriptors, &limit)
        return min(Int(clamping: limit.rlim_cur), 1 << 20)
    }

    /// Whether the calling thread is an event loop of a server.
    package static var isOnEventLoop: Bool { http_is_event_loop() }

    /// Listens, once per server, and returns the port.
    ///
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 literal or "localhost".
    ///   - port: 0 picks a free one.
    package func start(host: String = "127.0.0.1", port: UInt16 = 0) throws(StartError) -> UInt16 {
        var bound: UInt16 = 0
        // Unretained: no callback comes before the start or after the stop.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        let error = http_server_start(shim, owner, host, port, &bound)
        guard error == 0 else { throw StartError(code: error, host: host, port: port) }
        watch.withLock { $0 = Task { [self] in await watchLoops() } }
        return bound
    }

    /// Makes each later answer close its connection; the server still accepts and serves.
    package func beginDraining() {
        http_server_begin_draining(shim)
    }

    /// Waits up to `limit` for running requests, then answers the waiting ones with 503 and closes everything.
    ///
    /// It gives the last answers a second. Each call returns when the server has stopped.
    package func stop(within limit: Duration) async {
        beginDraining()
        await withCheckedContinuation { continuation in
            // The shim's stop blocks, and takes one call at a time.
            stops.async { [self] in
                http_server_stop(shim, limit.wholeMilliseconds)
                watch.withLock { $0.take() }?.cancel()
                continuation.resume()
            }
        }
    }

    /// The present load of the server.
    package var gauges: ServerGauges {
        let gauges = http_server_gauges(shim)
        return ServerGauges(
            connections: gauges.connections, running: gauges.running, parked: gauges.parked, begun: gauges.begun,
            malformed: gauges.malformed, heldFor: .milliseconds(gauges.held_milliseconds))
    }

    /// Logs each handler that holds an event loop for over a second, once.
    private func watchLoops() async {
        var former: Route?
        // The sleep throws when the stop cancels the task.
        while (try? await Task.sleep(for: .milliseconds(500))) != nil {
            let gauges = http_server_gauges(shim)
            let isHeld = gauges.held_milliseconds > 1000 && gauges.held_route >= 0
            let route = isHeld ? routes[Int(gauges.held_route)] : nil
            if let route, route !== former {
                log?.record(
                    Event(
                        .loopHeld,
                        [
                            "method": .text(route.method.rawValue), "route": .text(route.template),
                            "milliseconds": .number(Int(gauges.held_milliseconds)),
                        ]))
            }
            former = route
        }
    }

    /// Logs a refused connection: a bound was reached, or accepting failed with an error of errno(3).
    fileprivate func turnedAway(_ client: IPAddress?, by refusal: UInt32, _ error: Int32) {
        let (name, limit): (Event.Value, Int?) =
            switch (refusal, error) {
            case (503, _): ("max-connections", limits.connections)
            case (429, _): ("max-connections-per-address", limits.connectionsPerAddress)
            case (_, EMFILE), (_, ENFILE): ("open-files", nil)
            case (_, ENOBUFS), (_, ENOMEM): ("memory", nil)
            default: ("accept", nil)
            }
        let network = client.map { Event.Value.text("\($0.network)") }
        log?.record(Event(.boundReached, ["bound": name, "limit": limit.map { .number($0) }, "client": network]))
    }
}

/// The load of a server at one moment.
package struct ServerGauges: Sendable {
    package let connections: Int
    /// Requests from their head to the end of their answer.
    package let running: Int
    /// Of these: requests that wait for their answer, and streams that wait for events.
    package let parked: Int
    /// Requests so far: the next ``Request/number``.
    package let begun: UInt64
    /// Requests that libmicrohttpd refused by itself so far.
    package let malformed: UInt64
    /// The age of the oldest handler that runs on an event loop; zero if none does.
    package let heldFor: Duration
}

// The callbacks of the shim. They run on its threads, so they are nonisolated functions, not closures.

private func server(_ owner: UnsafeMutableRawPointer?) -> Server? {
    // The server is alive from `start` to the end of `stop`.
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
    _ owner: UnsafeMutableRawPointer?, _ refusal: UInt32, _ peer: UnsafePointer<UInt8>?, _ error: Int32
) {
    server(owner)?.turnedAway(peer.map { IPAddress(bytes: $0) }, by: refusal, error)
}

private func shimIsExempt(_ owner: UnsafeMutableRawPointer?, _ peer: UnsafePointer<UInt8>?) -> Bool {
    guard let server = server(owner), let peer else { return false }
    let address = IPAddress(bytes: peer)
    return address.isLoopback || server.trustedProxies.contains(address)
}
