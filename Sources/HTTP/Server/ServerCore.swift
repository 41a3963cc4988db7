internal import CHTTPShim
import Dispatch
internal import Events
import Glibc
import Locking
import Synchronization

/// What lives as long as a request of the server is referenced: the routes, the log and the server of the shim.
final class ServerCore: Sendable {
    let routes: [Route]
    /// The paths that a 404 may suggest.
    let paths: [String]
    let limits: ServerLimits
    let log: (any ExchangeLog)?
    let trustedProxies: TrustedProxies
    let dressing: Server.Dressing
    private let counts = Lock((cut: 0, malformed: 0))
    /// Watches the event loops.
    private let watch = Lock<DispatchQueue?>(nil)
    private let stops = DispatchQueue(label: "http.stop")
    /// The shim's server; nil without descriptors.
    // Safe: set once in `init`, and any thread may call the shim's functions on it (CHTTPShim.h).
    private(set) nonisolated(unsafe) var shim: OpaquePointer?

    init(
        routes: [Route], limits: ServerLimits, log: (any ExchangeLog)?, trustedProxies: TrustedProxies,
        dressing: @escaping Server.Dressing
    ) {
        self.routes = routes
        paths = Set(routes.map(\.template)).filter { !$0.contains(where: "{*".contains) }.sorted()
        (self.limits, self.log) = (limits, log)
        (self.trustedProxies, self.dressing) = (trustedProxies, dressing)
        shim = makeShim()
    }

    deinit { http_server_destroy(shim) }

    var cut: Int { counts.withLock { $0.cut } }
    var malformed: Int { counts.withLock { $0.malformed } }

    var loops: [ServerLoop] {
        (0..<UInt32(limits.threads)).map { number in
            let gauges = shim.map { http_server_loop_gauges($0, number) } ?? http_loop_gauges()
            let heldFor = Duration.milliseconds(gauges.held_milliseconds)
            let isHeld = heldFor > limits.heldAfter
            let route = gauges.route < 0 ? nil : routes[Int(gauges.route)]
            return ServerLoop(
                connections: gauges.connections, heldFor: heldFor,
                heldBy: isHeld ? route.map { "\($0.method.rawValue) \($0.template)" } : nil)
        }
    }

    func start(host: String, port: UInt16, inherited: Int32) throws(StartError) -> UInt16 {
        var bound: UInt16 = 0
        let error = shim.map { http_server_start($0, host, port, inherited, &bound) } ?? EMFILE
        guard error == 0 else { throw StartError(error, host: host, port: port) }
        watchLoops()
        return bound
    }

    /// Stops on a queue of its own, because that blocks, and calls `done` when the server has stopped.
    func stop(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
        stops.async { [self] in
            if let shim { http_server_stop(shim, limit.wholeMilliseconds) }
            watch.withLock { $0 = nil }
            done()
        }
    }

    private func makeShim() -> OpaquePointer? {
        var callbacks = http_callbacks(request: shimRequest, hung_up: shimHungUp, notice: shimNotice)
        var limits = limits.shim
        let networks = trustedProxies.networks.map { network in
            var raw = http_network()
            raw.bits = UInt32(network.bits)
            withUnsafeMutableBytes(of: &raw.address) { $0.copyBytes(from: network.address.bytes) }
            return raw
        }
        // The shim copies the strings during the call.
        let texts = routes.map { (strdup($0.method.rawValue), strdup($0.pattern)) }
        defer { for text in texts { free(text.0); free(text.1) } }
        let shimRoutes = texts.map { http_route(method: $0.0, path: $0.1) }
        return networks.withUnsafeBufferPointer { networks in
            (limits.trusted, limits.trusted_count) = (networks.baseAddress, networks.count)
            // Unretained: the core destroys the shim's server before it goes.
            let owner = Unmanaged.passUnretained(self).toOpaque()
            return http_server_create(shimRoutes, shimRoutes.count, &limits, &callbacks, owner)
        }
    }

    fileprivate func take(_ notice: http_notice) {
        let bound: String
        switch notice.kind {
        case HTTP_NOTICE_CUT: return counts.withLock { $0.cut += 1 }
        case HTTP_NOTICE_MALFORMED: return counts.withLock { $0.malformed += 1 }
        case HTTP_NOTICE_CONNECTIONS: bound = "max-connections"
        case HTTP_NOTICE_ADDRESS: bound = "max-connections-per-address"
        case _ where notice.error == EMFILE || notice.error == ENFILE: bound = "open-files"
        case _ where notice.error == ENOBUFS || notice.error == ENOMEM: bound = "memory"
        default: bound = "accept"
        }
        let client = notice.peer.map { IPAddress(bytes: $0).network }
        log?.record(.boundReached(bound, limit: notice.limit == 0 ? nil : Int(clamping: notice.limit), by: client))
    }

    /// Logs each handler that holds an event loop for longer than it may, once, and its end.
    private func watchLoops() {
        guard log != nil else { return }
        let queue = DispatchQueue(label: "http.watch")
        watch.withLock { $0 = queue }
        look(on: queue, after: Array(repeating: nil, count: limits.threads))
    }

    private func look(on queue: DispatchQueue, after before: [String?]) {
        let period = min(limits.heldAfter / 2, .milliseconds(500)).wholeMilliseconds
        queue.asyncAfter(deadline: .now() + .milliseconds(max(1, Int(period)))) { [weak self] in
            guard let self, watch.withLock({ $0 === queue }) else { return }
            let loops = loops
            for (number, (loop, former)) in zip(1..., zip(loops, before)) where loop.heldBy != former {
                guard let route = loop.heldBy ?? former else { continue }
                log?.record(
                    Event(
                        loop.isHeld ? .loopHeld : .loopFree,
                        [
                            "loop": .number(number), "loops": .number(loops.count),
                            "method": .text(String(route.prefix { $0 != " " })),
                            "route": .text(String(route.drop { $0 != "/" })),
                            "milliseconds": loop.isHeld ? .number(Int(clamping: loop.heldFor.wholeMilliseconds)) : nil,
                        ]))
            }
            look(on: queue, after: loops.map(\.heldBy))
        }
    }
}

// The callbacks of the shim. They run on its threads, so they are nonisolated functions and no closures.

private func core(_ owner: UnsafeMutableRawPointer?) -> ServerCore? {
    // Alive: the core stops and destroys the shim's server before it goes.
    owner.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}

private func shimRequest(
    _ owner: UnsafeMutableRawPointer?, _ exchange: OpaquePointer?, _ request: UnsafePointer<http_request>?
) -> UnsafeMutableRawPointer? {
    guard let core = core(owner), let exchange, let request else { return nil }
    let responder = Responder(exchange, request, core: core)
    // shimHungUp() takes the retained reference.
    return responder.run() ? nil : Unmanaged.passRetained(responder).toOpaque()
}

private func shimHungUp(_ context: UnsafeMutableRawPointer?, _ departure: http_departure) {
    context.map { Unmanaged<Responder>.fromOpaque($0).takeRetainedValue().hangUp(departure) }
}

private func shimNotice(_ owner: UnsafeMutableRawPointer?, _ notice: UnsafePointer<http_notice>?) {
    guard let core = core(owner), let notice else { return }
    core.take(notice.pointee)
}
