internal import CCrash
internal import CHTTPShim
internal import Events
import Locking

/// Answers one request: once, now or later, from any thread.
///
/// Each request must be answered: its client waits until then.
package final class Responder: Sendable {
    /// Why an ``onHangUp(_:)`` action runs.
    package enum HangUp: Sendable {
        /// The client sends nothing more, or it is gone. An answer may still reach it.
        case client
        /// The server stops: an answer that is not given now is a 503.
        case stopping
    }

    private struct State {
        var headers: [Response.Header] = []
        var session: SessionTag?
        var actions: [@Sendable (HangUp) -> Void] = []
        var hangUp: HangUp?
        var isAnswered = false
        /// The head of a stream that is open; its log entry is written when it ends.
        var stream: Response?
        /// Whether the shim has nothing more to tell.
        var isOver = false
    }

    /// The shim's exchange: counted, and any thread may call its functions (CHTTPShim.h), hence unchecked.
    private struct Exchange: @unchecked Sendable {
        let pointer: OpaquePointer
        let request: UnsafePointer<http_request>
    }

    let core: ServerCore
    private let exchange: Exchange
    private let state = Lock(State())

    /// Takes over the reference to the exchange that the shim hands out.
    init(_ pointer: OpaquePointer, _ request: UnsafePointer<http_request>, core: ServerCore) {
        exchange = Exchange(pointer: pointer, request: request)
        self.core = core
    }

    deinit {
        http_exchange_release(exchange.pointer)
    }

    var raw: UnsafePointer<http_request> { exchange.request }
    var pointer: OpaquePointer { exchange.pointer }
    var request: Request { Request(responder: self) }
    var route: Route? {
        let index = Int(raw.pointee.route)
        return core.routes.indices.contains(index) ? core.routes[index] : nil
    }

    func note(_ session: SessionTag) { state.withLock { $0.session = session } }

    /// Adds fields to the answer, whatever it will be.
    ///
    /// Call it before the answer.
    package func add(_ headers: [Response.Header]) {
        if !headers.isEmpty { state.withLock { $0.headers += headers } }
    }

    /// Runs an action when the client hangs up or the server stops, at once if that has happened.
    ///
    /// The action runs at most once, on the event loop, and not after the exchange is complete. It must not block.
    package func onHangUp(_ action: @escaping @Sendable (HangUp) -> Void) {
        let now = state.withLock { state in
            if state.hangUp == nil && !state.isOver { state.actions.append(action) }
            return state.hangUp
        }
        if let now { action(now) }
    }

    // MARK: Answers

    /// Answers.
    ///
    /// Only the first answer of a request counts.
    package func send(_ response: Response) {
        if case .shared(let body) = response.body, body.raw == nil {
            return sendInternalError("a body that cannot be sent")
        }
        switch answer(response) {
        case HTTP_ANSWERED_TAKEN:
            let (session, hangUp) = state.withLock { state in
                state.isAnswered = true
                return (state.session, state.hangUp)
            }
            log(response, of: session, hangUp)
        case HTTP_ANSWERED_INVALID: sendInternalError("an answer that cannot be sent")
        default: break
        }
    }

    /// Answers with a problem.
    package func send(_ problem: Problem) { send(core.dressing(problem, request).response(instance: request.id)) }

    /// Answers with an error: a ``Problem`` as it is, any other as a 500.
    package func send(_ error: any Error) { send(error as? Problem ?? .internal(causedBy: error)) }

    /// Answers with what an asynchronous function returns or throws; nil: the function has taken care of the answer.
    ///
    /// The function begins on this thread and stays on it up to its first suspension. It runs to its end whatever the
    /// client does.
    package func send(_ find: nonisolated(nonsending) @escaping @Sendable () async throws -> Response?) {
        _ = Task.immediate {
            do { if let response = try await find() { send(response) } } catch { send(error) }
        }
    }

    /// Begins an event stream as the answer; nil if the request was answered before.
    ///
    /// The stream of a HEAD takes no events.
    package func stream() -> Stream? {
        var response = Response(headers: Stream.headers)
        response.closesConnection = true
        guard answer(response, isStream: true) == HTTP_ANSWERED_TAKEN else { return nil }
        let isOver = state.withLock { state in
            state.isAnswered = true
            // A HEAD has no events: its answer is complete.
            if !raw.pointee.is_head && !state.isOver { state.stream = response }
            return state.isOver || raw.pointee.is_head
        }
        if isOver {
            let (session, hangUp) = state.withLock { ($0.session, $0.hangUp) }
            log(response, of: session, raw.pointee.is_head ? hangUp : hangUp ?? .client)
        }
        return Stream(responder: self)
    }

    /// If the answer itself was malformed.
    ///
    /// Its own fields are sound, so this does not come back.
    private func sendInternalError(_ cause: String) {
        var problem = Problem.internalError
        problem.cause = cause
        state.withLock { $0.headers = [] }
        var response = problem.response(instance: request.id)
        response.closesConnection = true
        send(response)
    }

    private func answer(_ response: Response, isStream: Bool = false) -> http_answered {
        let added = state.withLock { $0.headers }
        let headers = added.isEmpty ? response.headers : response.headers + added
        var answer = http_answer()
        answer.status = UInt32(clamping: response.status)
        answer.closes = response.closesConnection
        answer.field_count = headers.count
        return Self.packing(headers) { fields in
            answer.fields = fields.bindMemory(to: CChar.self).baseAddress
            answer.fields_length = fields.count
            switch response.body {
            case _ where isStream: answer.kind = HTTP_ANSWER_STREAM
            case .empty: break
            case .bytes(let bytes):
                return bytes.withUnsafeBytes { bytes in
                    (answer.bytes, answer.length) = (bytes.baseAddress, bytes.count)
                    return http_exchange_answer(pointer, &answer)
                }
            case .shared(let body): (answer.kind, answer.body) = (HTTP_ANSWER_BODY, body.raw)
            case .file(let file):
                (answer.kind, answer.descriptor, answer.length) = (HTTP_ANSWER_FILE, file.take(), file.length)
            }
            return http_exchange_answer(pointer, &answer)
        }
    }

    /// Packs fields as the shim takes them: name, NUL, value, NUL.
    static func packing<Result>(
        _ headers: [Response.Header], _ use: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let size = headers.reduce(0) { $0 + $1.name.text.utf8.count + $1.value.utf8.count + 2 }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            var place = 0
            func append(_ text: String) {
                var text = text
                text.withUTF8 { UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: .init($0)) }
                place += text.utf8.count
                buffer[place] = 0
                place += 1
            }
            for header in headers {
                append(header.name.text)
                append(header.value)
            }
            return use(UnsafeRawBufferPointer(buffer))
        }
    }

    // MARK: The shim

    /// Runs the handler.
    ///
    /// Returns whether nothing of the exchange is left to hear of.
    func run() -> Bool {
        let label = raw.pointee.route < 0 ? (nil, nil) : core.labels[Int(raw.pointee.route)]
        crash_set_route(label.0, label.1)
        defer { crash_set_route(nil, nil) }
        do {
            guard raw.pointee.refusal == HTTP_REFUSAL_NONE else {
                throw Problem(refused: raw.pointee, limits: core.limits, among: core.paths)
            }
            try core.routes[Int(raw.pointee.route)].handler(request, self)
        } catch {
            send(error)
        }
        let (isDone, actions) = state.withLock { state in
            let isDone = state.isAnswered && state.stream == nil
            defer { if isDone { state.actions = [] } }
            if isDone { state.isOver = true }
            return (isDone, isDone ? state.actions : [])
        }
        // Released after the lock: an action may hold this responder.
        _ = actions
        return isDone
    }

    /// The client hangs up, the server stops, or the exchange is complete.
    ///
    /// Called once.
    func hangUp(_ departure: http_departure) {
        let hangUp: HangUp? =
            switch departure {
            case HTTP_DEPARTURE_CLIENT: .client
            case HTTP_DEPARTURE_STOPPING: .stopping
            default: nil
            }
        let (actions, stream, session, isOpen) = state.withLock { state in
            defer { (state.actions, state.stream) = ([], nil) }
            (state.hangUp, state.isOver) = (hangUp, true)
            return (state.actions, state.stream, state.session, !state.isAnswered)
        }
        if stream != nil || isOpen && hangUp != nil {
            for action in actions { action(hangUp ?? .client) }
        }
        if let stream { log(stream, of: session, hangUp) }
        if isOpen, hangUp == .stopping { send(Problem.stopping) }
    }

    /// Nil for a method that no route can have.
    private var method: Method? {
        if raw.pointee.route >= 0, !raw.pointee.is_head { return core.routes[Int(raw.pointee.route)].method }
        return withUnsafeBytes(of: raw.pointee.method) {
            Method(rawValue: String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
        }
    }

    private func log(_ response: Response, of session: SessionTag?, _ hangUp: HangUp?) {
        guard let log = core.log else { return }
        let (request, place) = (request, Int(raw.pointee.route))
        var entry = ExchangeEntry(
            client: request.client, session: session, method: method?.rawValue,
            route: place < 0 ? "-" : core.routes[place].template,
            status: response.status, problem: response.remark?.problem,
            ending: hangUp == nil ? .sent : hangUp == .client ? .clientGone : .stopped,
            bytes: response.body.count, microseconds: Int(clamping: http_exchange_age(pointer)),
            requestID: request.id, traceparent: request.traceparent,
            cause: response.remark?.cause ?? (response.status < 500 ? nil : response.remark?.problem))
        entry.routePlace = place < 0 ? nil : place
        log.record(entry)
    }
}
