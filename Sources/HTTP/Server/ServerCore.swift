internal import CHTTPShim
internal import Events
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
    /// Method and template of each route, for what a crash tells; they live as long as the process.
    // Safe: written once, in `init`, before anyone else sees the core, and their texts never.
    nonisolated(unsafe) let labels: [(method: UnsafeMutablePointer<CChar>?, template: UnsafeMutablePointer<CChar>?)]
    /// The templates of all routes, to name the nearest one in a 404.
    let paths: [String]
    let log: (any ExchangeLog)?
    let trustedProxies: TrustedProxies
    /// What a refusal that no handler has seen carries for a page of that origin.
    let refusalFields: @Sendable (_ origin: String) -> [Response.Header]
    let wording: Server.Wording
    /// Limits how often the shim's notices of reached bounds are logged.
    let pace: EventPace
    /// Remarks for the log on requests whose line is not written yet.
    let remarks = Remarks()
    /// Nil where there could be none (``failure``).
    // Safe: set once, in `init`, before anyone else sees the core. A variable only because the shim is given the core itself.
    private(set) nonisolated(unsafe) var shim: Shim?
    /// Why there is no shim's server; nil where there is one.
    // Safe: as above.
    private(set) nonisolated(unsafe) var failure: StartError.Code?

    init(
        routes: [Route], limits: ServerLimits, log: (any ExchangeLog)?, trustedProxies: TrustedProxies,
        refusalFields: @escaping @Sendable (_ origin: String) -> [Response.Header],
        wording: @escaping Server.Wording
    ) {
        self.routes = routes
        labels = routes.map { (strdup($0.method.rawValue), strdup($0.template)) }
        paths = Set(routes.map(\.template)).sorted()
        self.log = log
        self.trustedProxies = trustedProxies
        self.refusalFields = refusalFields
        self.wording = wording
        let start = ContinuousClock.now
        pace = EventPace(
            log: log, now: { ContinuousClock.now - start },
            sleep: { try await ContinuousClock().sleep(until: start + $0) })
        (shim, failure) = makeShim(limits)
    }

    deinit {
        http_server_destroy(shim?.raw)
    }

    /// What the shim refused, in the words of whoever asked; in those of this program where no head was read.
    fileprivate func problem(_ refused: http_refused) -> Problem {
        let problem = Problem(refused, among: paths)
        guard let exchange = refused.exchange else { return problem }
        return wording(problem, String(field: http_exchange_field(exchange, HTTP_FIELD_ACCEPT_LANGUAGE)))
    }

    /// The client that an exchange's peer speaks for.
    func client(of peer: IPAddress, askingBy exchange: OpaquePointer) -> IPAddress {
        guard !trustedProxies.isEmpty else { return peer }
        let forwardedFor = String(field: http_exchange_field(exchange, HTTP_FIELD_X_FORWARDED_FOR))
        return trustedProxies.client(of: peer, forwardedFor: forwardedFor)
    }

    private func makeShim(_ limits: ServerLimits) -> (Shim?, StartError.Code?) {
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
                var failure = HTTP_START_OK
                let server = http_server_create(
                    shimRoutes, shimRoutes.count, &limits, &callbacks, owner, &failure)
                return (server.map { Shim(raw: $0) }, StartError.Code(failure))
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
    let json = core.problem(refused.pointee).json(instance: String(cString: id))
    guard json.count <= capacity else { return 0 }
    UnsafeMutableRawPointer(buffer).copyMemory(from: json, byteCount: json.count)
    return json.count
}

func shimDress(
    _ owner: UnsafeMutableRawPointer?, _ refused: UnsafePointer<http_refused>?, _ refusal: OpaquePointer?
) {
    guard let core = ServerCore.from(owner), let refused = refused?.pointee, let refusal,
        let exchange = refused.exchange
    else { return }
    var headers = core.problem(refused).headers
    if !http_exchange_field_is_repeated(exchange, HTTP_FIELD_ORIGIN),
        let origin = String(field: http_exchange_field(exchange, HTTP_FIELD_ORIGIN))
    {
        headers += core.refusalFields(origin)
    }
    for header in headers { _ = header.add(to: refusal) }
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
    let remark = core.remarks.take(of: id)
    let problem = Problem.slug(of: outcome.refusal) ?? remark?.problem
    log.record(
        ExchangeEntry(
            client: client, session: SessionTag(outcome.session), method: method?.rawValue,
            route: isRouted ? core.routes[Int(outcome.route)].template : "-",
            routePlace: isRouted ? Int(outcome.route) : nil, status: Int(outcome.status), problem: problem,
            ending: ExchangeEntry.Ending(outcome.ending), bytes: Int(clamping: outcome.bytes),
            microseconds: Int(clamping: outcome.microseconds), requestID: id,
            traceparent: outcome.exchange.flatMap(traceparent),
            cause: remark?.cause ?? (outcome.status < 500 ? nil : problem)))
}

/// What names the trace that a request is a part of, and the step of it; nil where it does not (W3C Trace Context, section
/// 3.2.2): of the first version, or of a later one as far as it is like the first.
private func traceparent(of exchange: OpaquePointer) -> String? {
    let text = http_exchange_field(exchange, HTTP_FIELD_TRACEPARENT)
    guard let start = text.bytes else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: text.length)
    let dash = UInt8(ascii: "-")
    let isWhole =
        bytes.count == 55
        && bytes.enumerated().allSatisfy { place, byte in
            [2, 35, 52].contains(place)
                ? byte == dash
                : byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    guard isWhole, !http_exchange_field_is_repeated(exchange, HTTP_FIELD_TRACEPARENT) else { return nil }
    let words = bytes.split(separator: dash).map { Array($0) }
    let zero = UInt8(ascii: "0")
    // The version ff is none, and neither id is nothing but zeros.
    guard words[0] != Array("ff".utf8), words[1...2].allSatisfy({ word in word.contains { $0 != zero } }) else {
        return nil
    }
    return String(decoding: bytes, as: UTF8.self)
}

func shimNotice(_ owner: UnsafeMutableRawPointer?, _ notice: UnsafePointer<http_notice>?) {
    guard let core = ServerCore.from(owner), let notice = notice?.pointee else { return }
    if notice.kind == HTTP_NOTICE_HELD { return core.tell(.loopHeld, notice) }
    if notice.kind == HTTP_NOTICE_FREE { return core.tell(.loopFree, notice) }
    let bound =
        switch notice.kind {
        case HTTP_NOTICE_CONNECTIONS: "max-connections"
        case HTTP_NOTICE_ADDRESS: "max-connections-per-address"
        case HTTP_NOTICE_ACCEPT: boundReached(byAcceptError: notice.error)
        case HTTP_NOTICE_LOSS: "memory"
        default: "turns-without-progress"
        }
    let client = notice.peer.map { IPAddress($0).network }
    core.pace.tell(
        .boundReached(bound, limit: notice.limit == 0 ? nil : Int(clamping: notice.limit), by: client), alike: bound)
}

extension ServerCore {
    /// Tells of a call that holds its loop, or that has returned.
    fileprivate func tell(_ kind: Event.Kind, _ notice: http_notice) {
        guard let log, routes.indices.contains(Int(notice.route)) else { return }
        let route = routes[Int(notice.route)]
        log.record(
            Event(
                kind,
                [
                    "loop": .number(Int(clamping: notice.count)), "loops": .number(Int(clamping: notice.limit)),
                    "method": .text(route.method.rawValue), "route": .text(route.template),
                    "milliseconds": .number(Int(clamping: notice.microseconds / 1000)),
                ]))
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

/// What the log is to say of a problem that is answered.
struct Remark: Sendable {
    /// The problem's slug.
    let problem: String
    /// What led to it, where that is known.
    let cause: String?
}

/// What the log is to say of requests, by their ids, from their answer until their line in the log.
///
/// Few requests are answered with a problem, and the others are not to pay for it: they look at a number.
final class Remarks: Sendable {
    private let remarks = Lock<[String: Remark]>([:])
    private let count = Atomic(0)

    /// How many wait for their line.
    var waiting: Int { count.load(ordering: .relaxed) }

    func note(_ remark: Remark, of id: String) {
        remarks.withLock { remarks in
            remarks[id] = remark
            count.store(remarks.count, ordering: .relaxed)
        }
    }

    /// Takes the remark out.
    func take(of id: String) -> Remark? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return remarks.withLock { remarks in
            defer { count.store(remarks.count, ordering: .relaxed) }
            return remarks.removeValue(forKey: id)
        }
    }
}
