internal import CHTTPShim
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
