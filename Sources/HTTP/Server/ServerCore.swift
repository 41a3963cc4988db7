internal import CCrash
internal import CHTTPShim
import Dispatch
internal import Events
import Glibc
import Locking
import Synchronization

/// What lives as long as a request of the server is referenced: the routes, the log and the server of the shim.
final class ServerCore: Sendable {
    /// The shim's server: any thread may call each function on it (CHTTPShim.h), hence unchecked.
    struct Shim: @unchecked Sendable {
        let raw: OpaquePointer
    }

    let routes: [Route]
    /// The paths that a 404 may suggest.
    let paths: [String]
    let limits: ServerLimits
    let log: (any ExchangeLog)?
    let trustedProxies: TrustedProxies
    let dressing: Server.Dressing
    /// Limits the rate of events about reached bounds.
    private let pace: EventPace
    private let counts = Lock((cut: 0, malformed: 0))
    /// Ends the watch on the event loops.
    private let watch = Lock<@Sendable () -> Void>({})
    private let stops = DispatchQueue(label: "http.stop")
    /// Method and template of each route, for CCrash; they live as long as the process.
    // Safe: written once in `init`, before another thread has the core.
    nonisolated(unsafe) let labels: [(method: UnsafeMutablePointer<CChar>?, template: UnsafeMutablePointer<CChar>?)]
    // Safe: set once in `init`, before another thread has the core. A variable because the shim gets the core itself.
    private(set) nonisolated(unsafe) var shim: Shim?
    /// Why there is no ``shim``.
    // Safe: as above.
    private(set) nonisolated(unsafe) var failure: StartError.Code?

    init(
        routes: [Route], limits: ServerLimits, log: (any ExchangeLog)?, trustedProxies: TrustedProxies,
        dressing: @escaping Server.Dressing
    ) {
        self.routes = routes
        paths = Set(routes.map(\.template)).filter { !$0.contains(where: "{*".contains) }.sorted()
        self.limits = limits
        self.log = log
        self.trustedProxies = trustedProxies
        self.dressing = dressing
        labels = routes.map { (strdup($0.method.rawValue), strdup($0.template)) }
        let start = ContinuousClock.now
        pace = EventPace(
            log: log, now: { ContinuousClock.now - start },
            sleep: { try await ContinuousClock().sleep(until: start + $0) })
        (shim, failure) = makeShim()
    }

    deinit {
        http_server_destroy(shim?.raw)
    }

    var cut: Int { counts.withLock { $0.cut } }
    var malformed: Int { counts.withLock { $0.malformed } }

    var loops: [ServerLoop] {
        guard let shim else { return [] }
        return (0..<UInt32(limits.threads)).map {
            ServerLoop(http_server_loop_gauges(shim.raw, $0), of: routes, heldAfter: limits.heldAfter)
        }
    }

    func start(
        host: String, port: UInt16, _ listen: (OpaquePointer, inout UInt16) -> http_start
    ) throws(StartError) -> UInt16 {
        var bound: UInt16 = 0
        let result = shim.map { listen($0.raw, &bound) }
        if let code = result.map(StartError.Code.init) ?? failure ?? .outOfResources {
            throw StartError(code, host: host, port: port)
        }
        watchLoops()
        return bound
    }

    /// Stops on a queue of its own, because that blocks, and calls `done` when the server has stopped.
    func stop(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
        stops.async { [self] in
            if let shim { http_server_stop(shim.raw, limit.wholeMilliseconds) }
            watch.withLock { $0() }
            pace.tellAll()
            done()
        }
    }

    private func makeShim() -> (Shim?, StartError.Code?) {
        var callbacks = http_callbacks(request: shimRequest, hung_up: shimHungUp, notice: shimNotice)
        var limits = limits.shim
        let networks = trustedProxies.networks.map(http_network.init)
        // The shim copies the strings during the call.
        let texts = routes.map { (strdup($0.method.rawValue), strdup($0.template)) }
        defer { for text in texts { free(text.0); free(text.1) } }
        let shimRoutes = texts.map { http_route(method: $0.0, path: $0.1) }
        // Unretained: the core destroys the shim's server before it goes.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        return networks.withUnsafeBufferPointer { networks in
            (limits.trusted, limits.trusted_count) = (networks.baseAddress, networks.count)
            var failure = HTTP_START_OK
            let server = http_server_create(shimRoutes, shimRoutes.count, &limits, &callbacks, owner, &failure)
            return (server.map { Shim(raw: $0) }, StartError.Code(failure))
        }
    }
}

extension http_network {
    fileprivate init(_ network: IPNetwork) {
        self.init()
        bits = UInt32(network.bits)
        withUnsafeMutableBytes(of: &address) { $0.copyBytes(from: network.address.bytes) }
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
    guard let core = core(owner), let notice = notice?.pointee else { return }
    core.take(notice)
}

extension ServerCore {
    fileprivate func take(_ notice: http_notice) {
        let bound: String
        switch notice.kind {
        case HTTP_NOTICE_CUT: return counts.withLock { $0.cut += 1 }
        case HTTP_NOTICE_MALFORMED: return counts.withLock { $0.malformed += 1 }
        case HTTP_NOTICE_CONNECTIONS: bound = "max-connections"
        case HTTP_NOTICE_ADDRESS: bound = "max-connections-per-address"
        case HTTP_NOTICE_ACCEPT where notice.error == EMFILE || notice.error == ENFILE: bound = "open-files"
        case HTTP_NOTICE_ACCEPT where notice.error != ENOBUFS && notice.error != ENOMEM: bound = "accept"
        default: bound = "memory"
        }
        let client = notice.peer.map { IPAddress($0).network }
        pace.tell(
            .boundReached(bound, limit: notice.limit == 0 ? nil : Int(clamping: notice.limit), by: client),
            alike: bound)
    }

    /// Logs each handler that holds an event loop for longer than it may, once, and its end.
    private func watchLoops() {
        guard log != nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let held = Lock<[Int: String]>([:])
        let period = min(limits.heldAfter / 2, .milliseconds(500)).wholeMilliseconds
        timer.schedule(deadline: .now(), repeating: .milliseconds(max(1, Int(period))), leeway: .milliseconds(50))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            let loops = loops
            for (number, loop) in zip(1..., loops) {
                let before = held.withLock { held in
                    defer { held[number] = loop.heldBy }
                    return held[number]
                }
                guard before != loop.heldBy, let route = loop.heldBy ?? before else { continue }
                log?.record(
                    Event(
                        loop.heldBy == nil ? .loopFree : .loopHeld,
                        [
                            "loop": .number(number), "loops": .number(loops.count),
                            "method": .text(String(route.prefix { $0 != " " })),
                            "route": .text(String(route.drop { $0 != "/" })),
                            "milliseconds": loop.heldBy.map { _ in .number(loop.heldFor.milliseconds) },
                        ]))
            }
        }
        timer.activate()
        // Safe: cancelling a source is safe from any thread (dispatch_source_cancel(3)).
        nonisolated(unsafe) let source = timer
        watch.withLock { $0 = { source.cancel() } }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; never negative.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1000 + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    fileprivate var milliseconds: Int { Int(clamping: wholeMilliseconds) }
}
