internal import CHTTPShim
import Glibc

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
