internal import CHTTPShim
import Locking

/// One request on its way to its answer: holds the shim's exchange, and whoever waits because of it.
final class Exchange: Sendable {
    /// The shim's exchange: counted, and read or answered from any thread (CHTTPShim.h), hence unchecked.
    struct Pointer: @unchecked Sendable {
        let raw: OpaquePointer
    }

    /// Who waits; empty, and cheap to make and drop, for the many that never do.
    private struct Waiting {
        var task: Task<Void, Never>?
        /// Who is to answer later, to be told when the client sends no more.
        var tellLater: (@Sendable () -> Void)?
        var source: (any EventSource)?
        var isFinished = false
        var isGone = false
    }

    let pointer: Pointer
    let core: ServerCore
    let routeIndex: Int
    private let waiting = Lock(Waiting())

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

    /// Runs the handler, on this thread until it first waits.
    ///
    /// Called once, inside dispatch.
    func run() {
        if let immediate = core.routes[routeIndex].immediate, answerAtOnce(immediate) { return }
        let task = Task.immediate { await self.serve() }
        let waits = waiting.withLock { waiting in
            guard !waiting.isFinished else { return waiting.source != nil }
            // The handler may be over, and the answer left for later.
            if waiting.tellLater == nil { waiting.task = task }
            return true
        }
        if waits { beTold() }
    }

    /// Has the shim tell this exchange when the client leaves.
    ///
    /// Called inside dispatch, so before anything can be told. Released in `shimCompleted`.
    private func beTold() {
        http_exchange_set_waiter(pointer.raw, Unmanaged.passRetained(self).toOpaque())
    }

    /// False where it has to wait.
    private func answerAtOnce(_ immediate: ImmediateHandler) -> Bool {
        do {
            guard let response = try immediate(Request(exchange: self)) else { return false }
            switch response.body {
            case .later(let begin):
                answerLater(begin)
                beTold()
            case .eventStream:
                answer(response)
                beTold()
            default:
                answer(response)
            }
        } catch {
            answer(Problem(error))
        }
        return true
    }

    private nonisolated(nonsending) func serve() async {
        let response: Response
        var cause: String?
        do {
            response = try await core.routes[routeIndex].handler(Request(exchange: self))
        } catch {
            // After a hang-up nobody reads this.
            let problem = Problem(error)
            cause = problem.cause
            response = problem.response(instance: id)
        }
        if case .later(let begin) = response.body { return answerLater(begin) }
        answer(response, because: cause)
        waiting.withLock { waiting in
            waiting.isFinished = true
            waiting.task = nil
        }
    }

    /// Leaves the answer to whoever `begin` hands it on to.
    private func answerLater(_ begin: @Sendable (PendingAnswer) -> @Sendable () -> Void) {
        let tell = begin(PendingAnswer(exchange: self))
        let isGone = waiting.withLock { waiting in
            waiting.task = nil
            if !waiting.isGone { waiting.tellLater = tell }
            return waiting.isGone
        }
        if isGone { tell() }
    }

    /// Keeps the source of a stream until the stream is over.
    func keep(_ source: any EventSource) {
        let isGone = waiting.withLock { waiting in
            if !waiting.isGone { waiting.source = source }
            return waiting.isGone
        }
        if isGone { source.streamIsOver() }
    }

    /// The client will send no more; perhaps it still reads.
    ///
    /// An action runs on and is answered, so its task is left alone.
    func halfClosed() {
        let tellLater = waiting.withLock { $0.tellLater.take() }
        tellLater?()
    }

    /// The client has left, or the server stops, or the stream is over.
    func leave() {
        let (task, tellLater, source) = waiting.withLock { waiting in
            waiting.isGone = true
            return (waiting.task, waiting.tellLater.take(), waiting.source.take())
        }
        task?.cancel()
        tellLater?()
        source?.streamIsOver()
    }

    /// The stream takes the next event.
    func drained() { waiting.withLock { $0.source }?.streamIsReady() }
}
