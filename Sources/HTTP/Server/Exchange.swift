internal import CCrash
internal import CHTTPShim
import Locking
import Synchronization

/// One request on its way to its answer: holds the shim's exchange, and the responder that learns how its client leaves.
final class Exchange: Sendable {
    /// The shim's exchange: counted, and read or answered from any thread (CHTTPShim.h), hence unchecked.
    struct Pointer: @unchecked Sendable {
        let raw: OpaquePointer
    }

    typealias Responder = @Sendable (Departure) -> Void

    /// What threads other than the event loop's may touch as well; empty, and cheap to make and drop, for most requests.
    private struct Told {
        /// Who is to answer, where the answer was left for later more than once: the latest.
        var responder: Responder?
        var relays = 0
        var source: (any EventSource)?
        var isHalfClosed = false
        var isGone = false
    }

    /// What was given for an answer that was left for later.
    private enum Given: UInt8, AtomicRepresentable {
        case nothing, answer, stream
    }

    let pointer: Pointer
    let core: ServerCore
    let routeIndex: Int
    private let told = Lock(Told())
    private let given = Atomic(Given.nothing)
    /// Who is to answer what the handler left for later.
    // Safe: touched on the event loop alone, which runs the handler and is where the shim tells.
    nonisolated(unsafe) private var responder: Responder?

    /// Takes over the reference that dispatch hands out.
    init(_ pointer: Pointer, core: ServerCore, routeIndex: Int) {
        self.pointer = pointer
        self.core = core
        self.routeIndex = routeIndex
    }

    deinit {
        http_exchange_release(pointer.raw)
    }

    var route: Route { core.routes[routeIndex] }

    var id: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(HTTP_REQUEST_ID_SIZE)) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            http_exchange_id(pointer.raw, start)
            return String(cString: start)
        }
    }

    /// Runs the handler.
    ///
    /// Called once, inside dispatch.
    func run() {
        let label = core.labels[routeIndex]
        crash_set_route(label.method, label.template)
        defer { crash_set_route(nil, nil) }
        do {
            let response = try core.routes[routeIndex].handler(Request(exchange: self))
            switch response.body {
            case .later(let begin): leave(to: begin)
            case .eventStream:
                answer(response)
                beTold()
            default:
                answer(response)
            }
        } catch {
            answer(Problem(error))
        }
    }

    /// Has the shim tell this exchange when the client leaves.
    ///
    /// Called inside dispatch, so before anything can be told. Released in `shimCompleted`.
    private func beTold() {
        http_exchange_set_waiter(pointer.raw, Unmanaged.passRetained(self).toOpaque())
    }

    /// Leaves the answer to whoever `begin` gives the place to answer to.
    private func leave(to begin: (PendingAnswer) -> Responder) {
        let responder = begin(PendingAnswer(exchange: self))
        // After an immediate answer nobody needs to be told; of a stream the source is.
        let given = given.load(ordering: .acquiring)
        if given == .nothing { self.responder = responder }
        if given != .answer { beTold() }
    }

    /// Leaves the answer for later again, from any thread; whoever was to give it is told nothing more.
    func leaveAgain(to begin: (PendingAnswer) -> Responder, at place: PendingAnswer) {
        guard isOpen else { return }
        let relay = told.withLock { told in
            told.responder = nil
            told.relays += 1
            return told.relays
        }
        let responder = begin(place)
        let (isHalfClosed, isGone) = told.withLock { told in
            // A responder that has left the answer to another one by now is told nothing.
            guard told.relays == relay else { return (false, false) }
            if !told.isGone { told.responder = responder }
            return (told.isHalfClosed, told.isGone)
        }
        if isHalfClosed { tell(.halfClosed, to: responder) }
        if isGone { tell(.gone, to: responder) }
    }

    /// Gives the answer that was left for later, from any thread; only the first one is taken.
    func answerLater(_ response: Response) {
        var now = Given.answer
        if case .eventStream = response.body { now = .stream }
        let claim = given.compareExchange(expected: .nothing, desired: now, ordering: .acquiringAndReleasing)
        if claim.exchanged { answer(response) }
    }

    /// Whether an answer that was left for later is still to be given.
    private var isOpen: Bool { given.load(ordering: .acquiring) == .nothing }

    private func tell(_ departure: Departure, to responder: Responder?) {
        if isOpen { responder?(departure) }
    }

    /// Keeps the source of a stream until the stream is over.
    func keep(_ source: any EventSource) {
        let isGone = told.withLock { told in
            if !told.isGone { told.source = source }
            return told.isGone
        }
        if isGone { source.streamIsOver() }
    }

    /// The client will send no more; perhaps it still reads.
    func halfClosed() {
        let responder = told.withLock { told in
            told.isHalfClosed = true
            return told.relays == 0 ? self.responder : told.responder
        }
        tell(.halfClosed, to: responder)
    }

    /// The client has left, or the server stops, or the stream is over.
    func leave() {
        let (responder, source) = told.withLock { told in
            told.isGone = true
            return (told.relays == 0 ? self.responder : told.responder, told.source.take())
        }
        tell(.gone, to: responder)
        source?.streamIsOver()
    }

    /// The stream takes the next event.
    func drained() { told.withLock { $0.source }?.streamIsReady() }

    /// It is over: releases the responder, which may hold the place to answer, and with it this exchange.
    func completed() {
        responder = nil
        // Released after unlocking.
        _ = told.withLock { told in
            told.isGone = true
            return told.responder.take()
        }
    }
}

extension Exchange {
    /// Gives the answer, from any thread.
    ///
    /// Exactly one is taken; the others change nothing.
    ///
    /// - Returns: whether this one is taken: false where there was one before, or the client or the server has left.
    @discardableResult
    func answer(_ response: Response) -> Bool {
        remarking(response.remark) { give(response) }
    }

    /// Leaves a remark for the log, if the answer is taken.
    private func remarking(_ remark: Remark?, _ answer: () -> Bool) -> Bool {
        guard core.log != nil, let remark else { return answer() }
        let id = id
        core.remarks.note(remark, of: id)
        let isTaken = answer()
        // The line of another answer, or of none, may have been written already.
        if !isTaken { _ = core.remarks.take(of: id) }
        return isTaken
    }

    private func give(_ response: Response) -> Bool {
        guard (200...599).contains(response.status) else { return answerInternalError() }
        let status = UInt32(response.status)
        if case .shared(let body) = response.body, response.headers.isEmpty, let body = body.raw {
            return http_exchange_answer_shared(pointer.raw, status, body, response.closesConnection)
        }
        guard let reply = makeReply(response) else { return answerInternalError() }
        if case .eventStream(let source?) = response.body, !http_exchange_is_head(pointer.raw) {
            keep(source(EventStream(exchange: self)))
            return http_exchange_answer_stream(pointer.raw, status, reply)
        }
        var closes = response.closesConnection
        if case .eventStream = response.body { closes = true }
        return http_exchange_answer(pointer.raw, status, reply, closes)
    }

    /// Answers with a problem.
    func answer(_ problem: Problem) { answer(response(to: problem)) }

    /// The answer that says a problem, in the words of whoever asked.
    func response(to problem: Problem) -> Response {
        let language = Request(exchange: self).header(.acceptLanguage)
        return core.wording(problem, language).response(instance: id)
    }

    /// Where the answer itself was malformed.
    ///
    /// Its own is not: this does not come back.
    private func answerInternalError() -> Bool {
        var problem = Problem.internalError
        problem.cause = "an answer that cannot be sent"
        let response = problem.response(instance: id)
        let reply = makeReply(response)
        return remarking(response.remark) { http_exchange_answer(pointer.raw, 500, reply, true) }
    }

    /// Nil where a header field is malformed, or without memory.
    private func makeReply(_ response: Response) -> OpaquePointer? {
        let reply: OpaquePointer? =
            switch response.body {
            case .empty: http_reply_create(nil, 0)
            case .bytes(let bytes): bytes.withUnsafeBytes { http_reply_create($0.baseAddress, $0.count) }
            case .shared(let body): body.raw.flatMap { http_reply_create_shared($0) }
            case .file(let file): file.take().flatMap { http_reply_create_file($0, file.length) }
            case .eventStream: http_reply_create_stream(pointer.raw)
            // Begun before an answer is made of it.
            case .later: nil
            }
        guard let reply else { return nil }
        for header in response.headers where !header.add(to: reply) {
            http_reply_destroy(reply)
            return nil
        }
        return reply
    }
}

extension Response.Header {
    /// False where it is malformed.
    func add(to reply: OpaquePointer) -> Bool {
        var (name, value) = (name.text, value)
        return name.withUTF8 { name in
            value.withUTF8 { value in
                name.withMemoryRebound(to: CChar.self) { name in
                    value.withMemoryRebound(to: CChar.self) {
                        http_reply_add_field(reply, name.baseAddress, name.count, $0.baseAddress, $0.count)
                    }
                }
            }
        }
    }
}
