internal import CHTTPShim
import Synchronization

/// One request on its way to its answer: holds the shim's exchange, and whoever waits because of it.
final class Exchange: Sendable {
    /// The shim's exchange: counted, and read or answered from any thread (CHTTPShim.h), hence unchecked.
    struct Pointer: @unchecked Sendable {
        let raw: OpaquePointer
    }

    /// Who is to be told when the client leaves.
    private enum Waiting: Sendable {
        /// Nobody yet.
        case nobody
        /// The handler's task, to be cancelled.
        case task(Task<Void, Never>)
        /// Whoever is to answer later.
        case later(@Sendable () -> Void)
        /// Whoever it was has been told.
        case gone
    }

    let pointer: Pointer
    let core: ServerCore
    let routeIndex: Int
    private let finished = Atomic(false)
    private let waiting = Mutex(Waiting.nobody)
    let room = Mutex(StreamRoom())

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
        let task = Task.immediate { await self.serve() }
        guard !finished.load(ordering: .acquiring) else { return }
        waiting.withLock { waiting in
            // The handler may have gone on elsewhere and left the answer for later meanwhile.
            if case .nobody = waiting { waiting = .task(task) }
        }
        // Released in `shimCompleted`. Set before dispatch returns, so before anything can be told.
        http_exchange_set_waiter(pointer.raw, Unmanaged.passRetained(self).toOpaque())
    }

    private func serve() async {
        let response: Response
        do {
            response = try await route.handler(Request(exchange: self))
        } catch let problem as Problem {
            response = problem.response(instance: id)
        } catch {
            // After a hang-up nobody reads this.
            response = Problem.internalError.response(instance: id)
        }
        if case .later(let begin) = response.body { return answerLater(begin) }
        await send(response)
        finished.store(true, ordering: .releasing)
    }

    /// Leaves the answer to whoever `begin` hands it on to.
    private func answerLater(_ begin: @Sendable (PendingAnswer) -> @Sendable () -> Void) {
        let tell = begin(PendingAnswer(exchange: self))
        let isGone = waiting.withLock { waiting in
            if case .gone = waiting { return true }
            waiting = .later(tell)
            return false
        }
        if isGone { tell() }
    }

    /// The client has left, or the server stops.
    func leave() {
        let told = waiting.withLock { waiting in
            defer { waiting = .gone }
            return waiting
        }
        let writers = room.withLock { $0.close() }
        switch told {
        case .task(let task): task.cancel()
        case .later(let tell): tell()
        case .nobody, .gone: break
        }
        for writer in writers { writer.resume(throwing: EventStream.Closed()) }
    }

    /// The stream has room again.
    func drained() {
        let writers = room.withLock { $0.drain() }
        for writer in writers { writer.resume() }
    }
}
