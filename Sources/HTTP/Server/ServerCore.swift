internal import CHTTPShim
import Glibc
import Locking
import Synchronization

/// What outlives a `Server` for as long as a request of it is held: the routes, the log and the shim's server.
final class ServerCore: Sendable {
    /// The shim's server: every function of it may be called from any thread (CHTTPShim.h), hence unchecked.
    struct Shim: @unchecked Sendable {
        let raw: OpaquePointer
    }

    let routes: [Route]
    /// Where something is, for whoever asks at a place that nothing is at.
    let paths: [String]
    let log: (any ExchangeLog)?
    let trustedProxies: TrustedProxies
    /// What a refusal that no handler has seen carries for a page of that origin.
    let refusalFields: @Sendable (_ origin: String) -> [Response.Header]
    /// What the shim says of bounds, at a pace that a log can bear.
    let notices: BoundNotices
    /// Why requests failed that are not in the log yet.
    let causes = Causes()
    let draining = Atomic(false)
    private let made = Lock<Shim?>(nil)

    /// Nil where the routes are malformed.
    ///
    /// Set once, in `init`, before anyone else sees the core.
    var shim: Shim? { made.withLock { $0 } }

    init(
        routes: [Route], limits: ServerLimits, log: (any ExchangeLog)?, trustedProxies: TrustedProxies,
        refusalFields: @escaping @Sendable (_ origin: String) -> [Response.Header]
    ) {
        self.routes = routes
        paths = Set(routes.map(\.template)).sorted()
        self.log = log
        self.trustedProxies = trustedProxies
        self.refusalFields = refusalFields
        let start = ContinuousClock.now
        notices = BoundNotices(
            log: log, now: { ContinuousClock.now - start },
            sleep: { try await ContinuousClock().sleep(until: start + $0) })
        let shim = makeShim(limits)
        made.withLock { $0 = shim }
    }

    deinit {
        http_server_destroy(shim?.raw)
    }

    /// Whom an exchange's peer speaks for.
    func client(of peer: IPAddress, askingBy exchange: OpaquePointer) -> IPAddress {
        guard !trustedProxies.isEmpty else { return peer }
        let forwardedFor = String(field: http_exchange_field(exchange, HTTP_FIELD_X_FORWARDED_FOR))
        return trustedProxies.client(of: peer, forwardedFor: forwardedFor)
    }

    private func makeShim(_ limits: ServerLimits) -> Shim? {
        // The strings are lent for the call, which copies them.
        let texts = routes.map { (Array($0.method.rawValue.utf8CString), Array($0.template.utf8CString)) }
        var callbacks = http_callbacks(
            dispatch: shimDispatch, describe: shimDescribe, dress: shimDress, half_closed: shimHalfClosed,
            gone: shimGone, drained: shimDrained, completed: shimCompleted, record: log == nil ? nil : shimRecord,
            notice: shimNotice)
        var limits = limits.shim
        let trusted = trustedProxies.networks.map(http_network.init)
        let storage = texts.flatMap { $0.0 + $0.1 }
        return storage.withUnsafeBufferPointer { buffer in
            var position = 0
            let shimRoutes = texts.map { method, path in
                let start = buffer.baseAddress.map { $0 + position }
                position += method.count + path.count
                return http_route(method: start, path: start.map { $0 + method.count })
            }
            // Unretained: the core destroys the shim's server before it goes.
            let owner = Unmanaged.passUnretained(self).toOpaque()
            return trusted.withUnsafeBufferPointer { networks in
                (limits.trusted, limits.trusted_count) = (networks.baseAddress, networks.count)
                return http_server_create(shimRoutes, shimRoutes.count, &limits, &callbacks, owner)
                    .map { Shim(raw: $0) }
            }
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

// The shim's callbacks: on its threads, so nonisolated functions, not closures, which would be the main actor's where
// the surroundings are.

extension ServerCore {
    /// The core is alive: it destroys the shim's server, and stops it first, before it goes.
    fileprivate static func from(_ owner: UnsafeMutableRawPointer?) -> ServerCore? {
        owner.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }
}

func shimDispatch(_ owner: UnsafeMutableRawPointer?, _ exchange: OpaquePointer?, _ route: UInt32) {
    guard let core = ServerCore.from(owner), let exchange else { return }
    Exchange(Exchange.Pointer(raw: exchange), core: core, routeIndex: Int(route)).run()
}

func shimDescribe(
    _ owner: UnsafeMutableRawPointer?, _ refused: UnsafePointer<http_refused>?, _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int
) -> Int {
    guard let core = ServerCore.from(owner), let refused, let buffer, let id = refused.pointee.request_id else {
        return 0
    }
    let json = Problem(refused.pointee, among: core.paths).json(instance: String(cString: id))
    guard json.count <= capacity else { return 0 }
    UnsafeMutableRawPointer(buffer).copyMemory(from: json, byteCount: json.count)
    return json.count
}

func shimDress(_ owner: UnsafeMutableRawPointer?, _ exchange: OpaquePointer?, _ refusal: OpaquePointer?) {
    guard let core = ServerCore.from(owner), let exchange, let refusal,
        !http_exchange_field_is_repeated(exchange, HTTP_FIELD_ORIGIN),
        let origin = String(field: http_exchange_field(exchange, HTTP_FIELD_ORIGIN))
    else { return }
    for header in core.refusalFields(origin) { _ = header.add(to: refusal) }
}

func shimHalfClosed(_ waiter: UnsafeMutableRawPointer?) {
    // Retained by `Exchange.beTold` until `shimCompleted`.
    waiter.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue().halfClosed() }
}

func shimGone(_ waiter: UnsafeMutableRawPointer?) {
    // As above.
    waiter.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue().leave() }
}

func shimDrained(_ waiter: UnsafeMutableRawPointer?) {
    // As above.
    waiter.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue().drained() }
}

func shimCompleted(_ waiter: UnsafeMutableRawPointer?) {
    // The other end of the retain in `Exchange.beTold`.
    waiter.map { Unmanaged<Exchange>.fromOpaque($0).takeRetainedValue().completed() }
}

func shimRecord(_ owner: UnsafeMutableRawPointer?, _ outcome: UnsafePointer<http_outcome>?) {
    guard let core = ServerCore.from(owner), let log = core.log, let outcome = outcome?.pointee else { return }
    let id = outcome.request_id.map { String(cString: $0) } ?? ""
    let isRouted = core.routes.indices.contains(Int(outcome.route))
    let method =
        isRouted && !outcome.is_head
        ? core.routes[Int(outcome.route)].method : outcome.method.flatMap { Method(rawValue: String(cString: $0)) }
    let peer = IPAddress(outcome.peer)
    let client = outcome.exchange.map { core.client(of: peer, askingBy: $0) } ?? peer
    log.record(
        ExchangeEntry(
            client: client, method: method, route: isRouted ? core.routes[Int(outcome.route)].template : "-",
            status: Int(outcome.status), ending: ExchangeEntry.Ending(outcome.ending),
            bytes: Int(clamping: outcome.bytes),
            microseconds: Int(clamping: outcome.microseconds),
            requestID: id, cause: core.causes.take(of: id)))
}

func shimNotice(_ owner: UnsafeMutableRawPointer?, _ notice: UnsafePointer<http_notice>?) {
    guard let core = ServerCore.from(owner), let notice = notice?.pointee else { return }
    if notice.kind == HTTP_NOTICE_HELD { return core.tellHeld(notice) }
    let bound =
        switch notice.kind {
        case HTTP_NOTICE_CONNECTIONS: "max-connections"
        case HTTP_NOTICE_ADDRESS: "max-connections-per-address"
        case HTTP_NOTICE_ACCEPT: boundReached(byAcceptError: notice.error)
        case HTTP_NOTICE_LOSS: "memory"
        default: "turns-without-progress"
        }
    core.notices.reached(
        bound, limit: notice.limit == 0 ? nil : Int(clamping: notice.limit),
        by: notice.peer.map { IPAddress($0).network })
}

extension ServerCore {
    fileprivate func tellHeld(_ notice: http_notice) {
        guard let log, routes.indices.contains(Int(notice.route)) else { return }
        let route = routes[Int(notice.route)]
        log.record(
            HeldLoop(
                number: Int(clamping: notice.count), of: Int(clamping: notice.limit), method: route.method,
                route: route.template))
    }
}

/// What ran out where no connection could be accepted (accept(2)).
func boundReached(byAcceptError error: CInt) -> String {
    switch error {
    case EMFILE, ENFILE: "open-files"
    case ENOBUFS, ENOMEM: "memory"
    default: "accept"
    }
}

/// Why requests failed, by their ids, from their answer until their line in the log.
///
/// Few requests fail, and the others are not to pay for it: they look at a number.
final class Causes: Sendable {
    private let causes = Lock<[String: String]>([:])
    private let count = Atomic(0)

    /// How many wait for their line.
    var waiting: Int { count.load(ordering: .relaxed) }

    func note(_ cause: String, of id: String) {
        causes.withLock { causes in
            causes[id] = cause
            count.store(causes.count, ordering: .relaxed)
        }
    }

    /// Takes the cause out.
    func take(of id: String) -> String? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return causes.withLock { causes in
            defer { count.store(causes.count, ordering: .relaxed) }
            return causes.removeValue(forKey: id)
        }
    }
}
