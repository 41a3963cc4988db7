internal import CHTTPShim
package import Events
import Locking
import Synchronization

/// Answers one request: once, now or later, from any thread.
///
/// Each request must be answered, because its client waits.
package final class Responder: Sendable {
    private struct State {
        var headers: [Response.Header] = []
        var actions: [@Sendable (ExchangeEntry.Ending) -> Void] = []
        var isAnswered = false
        /// The head of a stream that is open; its log entry is written when it ends.
        var stream: Response?
        /// The reason of ``hangUp(_:)``; nil before that call.
        var ending: ExchangeEntry.Ending?
    }

    /// The server that got the request.
    package let server: Server
    /// The exchange; the responder holds one reference to it.
    // Safe: any thread may call the shim's functions on it (CHTTPShim.h).
    nonisolated(unsafe) let pointer: OpaquePointer
    /// Lives as long as the exchange.
    // Safe: nothing changes it after the shim has handed it out.
    nonisolated(unsafe) let raw: UnsafePointer<http_request>
    private let state = Lock(State())
    /// The number of the session's tag; 0 for none.
    private let session = Atomic<UInt64>(0)
    /// Whether an answer that is no stream was given.
    private let isComplete = Atomic(false)

    /// Takes over the reference to the exchange that the shim hands out.
    init(_ pointer: OpaquePointer, _ request: UnsafePointer<http_request>, server: Server) {
        (self.pointer, raw, self.server) = (pointer, request, server)
    }

    deinit { http_exchange_release(pointer) }

    package var request: Request { Request(responder: self) }
    var route: Route? { raw.pointee.route < 0 ? nil : server.routes[Int(raw.pointee.route)] }

    /// Sets the session for the log entry; call it before the answer.
    package func note(_ session: SessionTag) { self.session.store(session.number, ordering: .relaxed) }

    /// Adds fields to the later answer; call it before the answer.
    package func add(_ headers: [Response.Header]) {
        if !headers.isEmpty { state.withLock { $0.headers += headers } }
    }

    /// Runs an action when the client hangs up or the server stops; at once if that has happened.
    ///
    /// A client that hung up may still receive an answer. When the server stops, a request without an answer gets a 503.
    /// The action runs at most once, on the event loop, and not after the exchange is complete. It must not block.
    package func onHangUp(_ action: @escaping @Sendable (ExchangeEntry.Ending) -> Void) {
        let ending = state.withLock { state in
            if state.ending == nil, !state.isAnswered || state.stream != nil { state.actions.append(action) }
            return state.ending
        }
        if let ending, ending != .sent { action(ending) }
    }

    // MARK: Answers

    /// Answers; only the first answer of a request counts.
    package func send(_ response: Response) { answer(response, asStream: false) }

    /// Answers with an error: a ``Problem`` as it is, any other as a 500.
    package func send(_ error: any Error) {
        send((error as? Problem ?? .internal(causedBy: error)).response(instance: request.id))
    }

    /// Begins an event stream as the answer; nil if the request was answered before.
    ///
    /// A stream for a HEAD takes no events.
    package func stream() -> Stream? {
        answer(Response(headers: Stream.headers), asStream: true) ? Stream(responder: self) : nil
    }

    /// Gives the answer to the shim; false if there was an answer before, or if this one cannot be sent.
    @discardableResult
    private func answer(_ response: Response, asStream: Bool) -> Bool {
        // A HEAD has no events: its answer is complete.
        let isStream = asStream && !raw.pointee.is_head
        let (isFirst, headers, ending) = state.withLock { state in
            let isFirst = !state.isAnswered
            if isFirst, isStream, state.ending == nil { state.stream = response }
            state.isAnswered = true
            if state.stream == nil { state.actions = [] }
            return (isFirst, state.headers, state.ending)
        }
        guard isFirst else { return false }
        guard let body = response.shim(adding: headers) else {
            state.withLock { ($0.stream, $0.actions) = (nil, []) }
            var problem = Problem.internalError
            problem.cause = "an answer that cannot be sent"
            let instead = problem.response(instance: request.id)
            finish(instead, instead.shim(), ending)
            return false
        }
        if isStream { http_exchange_stream(pointer, body) }
        if !isStream || ending != nil { finish(response, isStream ? nil : body, ending) }
        return true
    }

    /// Gives a complete answer to the shim, and logs it.
    private func finish(_ response: Response, _ body: OpaquePointer?, _ ending: ExchangeEntry.Ending?) {
        if let body { http_exchange_answer(pointer, body, UInt32(response.status)) }
        isComplete.store(true, ordering: .releasing)
        log(response, ending ?? .sent)
    }

    // MARK: The shim

    /// Runs the handler; returns true if the answer is complete, and needs no call of `hangUp(_:)`.
    func run() -> Bool {
        if let route, raw.pointee.refusal == 0 {
            do { try route.handler(request, self) } catch { send(error) }
        } else {
            send(server.refusal(request, Problem(refused: raw.pointee)))
        }
        return isComplete.load(ordering: .acquiring)
    }

    /// The client hangs up, the server stops, or the exchange is complete; called once, unless `run()` returned true.
    func hangUp(_ departure: http_departure) {
        guard !isComplete.load(ordering: .acquiring) else { return }
        let ending: ExchangeEntry.Ending =
            departure == HTTP_DEPARTURE_CLIENT ? .clientGone : departure == HTTP_DEPARTURE_STOPPING ? .stopped : .sent
        let (actions, stream, isOpen) = state.withLock { state in
            defer { (state.actions, state.stream, state.ending) = ([], nil, ending) }
            return (state.actions, state.stream, !state.isAnswered)
        }
        if stream != nil || isOpen && ending != .sent { for action in actions { action(ending) } }
        if let stream { log(stream, ending) }
        if isOpen, ending == .stopped { send(Problem.stopping) }
    }

    private func log(_ response: Response, _ ending: ExchangeEntry.Ending) {
        guard let log = server.log else { return }
        let (request, route) = (request, route)
        let method = route == nil ? Method(rawValue: String(array: raw.pointee.method)) : request.method
        var entry = ExchangeEntry(
            method: method?.rawValue, route: route?.template ?? "-", status: response.status,
            microseconds: Int(clamping: http_exchange_age(pointer)), requestID: request.id)
        (entry.client, entry.session) = (request.client, SessionTag(session.load(ordering: .relaxed)))
        (entry.ending, entry.bytes, entry.problem) = (ending, response.body.count, response.problem)
        entry.cause = response.cause ?? (response.status < 500 ? nil : response.problem)
        if route != nil { entry.routePlace = Int(raw.pointee.route) }
        if route == nil, !request.path.isEmpty { entry.path = request.path }
        log.record(entry)
    }
}
