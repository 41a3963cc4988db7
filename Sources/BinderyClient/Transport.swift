import Foundation
import Locking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests and their answers, over Foundation.
///
/// By a delegate with continuations of our own, each resumed once. `URLSession.data(for:)` would not do: on Linux a
/// cancelled one now and then never returns (Foundation of Swift 6.3), and there is no `bytes(for:)`. Nor would its timeout: it
/// counts between two bytes, and a poll is silent for as long as it waits. What cannot be helped from here: on Linux, Foundation of
/// Swift 6.3 ends the process where a connection closes within the head of an answer (swift-corelibs-foundation 5285, mended later).
final class Transport: Sendable {
    /// What waits has connections of its own, so that an action never stands behind polls and streams.
    enum Line: Sendable { case requests, waits }

    /// Made when they are first needed: many a client never waits.
    private let sessions = Lock<[Line: URLSession]>([:])
    let clock: any Clock<Duration>
    private let largestAnswer: Int
    /// How many answers to actions are thrown away, for a test.
    private let dropped = Lock(0)

    init(clock: any Clock<Duration>, largestAnswer: Int) {
        self.clock = clock
        self.largestAnswer = largestAnswer
    }

    private static func makeSession(connections: Int) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.timeoutIntervalForRequest = 24 * 60 * 60
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        // Keeps its delegate until it is invalidated.
        return URLSession(configuration: configuration, delegate: Receivers(), delegateQueue: queue)
    }

    /// Closes all connections; nothing is asked afterwards.
    func invalidate() {
        for session in sessions.withLock({ $0.values }) { session.invalidateAndCancel() }
    }

    /// Closes the connections on which nothing is under way; others are closed when that is over.
    func closeIdle() {
        let old = sessions.withLock { sessions in
            defer { sessions = [:] }
            return Array(sessions.values)
        }
        for session in old { session.finishTasksAndInvalidate() }
    }

    /// Has the answer to the next action lost: the connection is closed when it comes.
    func dropNextAnswer() { dropped.withLock { $0 += 1 } }

    private func isDropped(_ request: URLRequest) -> Bool {
        guard request.httpMethod == "POST", request.url?.lastPathComponent != "sessions" else { return false }
        return dropped.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }

    /// Asks, and waits for the whole answer.
    ///
    /// - Throws: ``RemoteFailure``; `CancellationError`, and then the connection is closed.
    func answer(to request: URLRequest, on line: Line, within time: Duration) async throws -> RemoteAnswer {
        try Task.checkCancellation()
        let receiver = AnswerReceiver(request, largest: largestAnswer, isDropped: isDropped(request))
        let call = open(request, on: line, for: receiver)
        let deadline = Task { [clock] in
            try await clock.sleep(for: time)
            receiver.end(RemoteFailure.late(request, after: time))
        }
        defer {
            deadline.cancel()
            call.close()
        }
        return try await withTaskCancellationHandler {
            try await receiver.answer()
        } onCancel: {
            receiver.end(CancellationError())
        }
    }

    /// Opens an event stream.
    ///
    /// - Parameters:
    ///   - silence: how long it may be without a byte.
    ///   - firstEvent: how long it may be without its first event after its head; nil for as long as that.
    func events(of request: URLRequest, silence: Duration, firstEvent: Duration?) -> EventLine {
        let receiver = EventReceiver(request, clock: clock, largest: largestAnswer)
        return EventLine(
            receiver, over: open(request, on: .waits, for: receiver), silence: silence, firstEvent: firstEvent,
            clock: clock)
    }

    private func open(_ request: URLRequest, on line: Line, for receiver: any Receiver) -> Call {
        // Begun under the lock: what is begun on a session that was given up meanwhile never ends.
        sessions.withLock { sessions in
            let session = sessions[line] ?? Self.makeSession(connections: line == .requests ? 6 : 1024)
            sessions[line] = session
            let call = Call(session.dataTask(with: request), of: session.delegate as? Receivers)
            call.begin(for: receiver)
            return call
        }
    }
}

/// Who is given what comes on one connection, on the URLSession's queue; it must not block.
protocol Receiver: AnyObject, Sendable {
    /// The status and the header fields are there.
    ///
    /// - Returns: whether there is to be more.
    func begin(_ head: HTTPURLResponse) -> Bool

    /// More has come.
    ///
    /// - Returns: whether there is to be more.
    func take(_ bytes: Data) -> Bool

    /// It is over: nil where all has come. Only the first end counts, and nothing is taken after it.
    func end(_ error: (any Error)?)
}

/// A request on its way; closed when nobody has it any more.
final class Call: Sendable {
    private let task: URLSessionDataTask
    private let receivers: Receivers?

    init(_ task: URLSessionDataTask, of receivers: Receivers?) { (self.task, self.receivers) = (task, receivers) }

    deinit { close() }

    func begin(for receiver: any Receiver) {
        receivers?.add(receiver, for: task)
        task.resume()
    }

    /// Closes the connection, where the answer has not come to its end.
    func close() {
        // Where nobody is to be told, it was told that it is over.
        guard receivers?.remove(task) != nil else { return }
        task.cancel()
    }
}

/// Tells each receiver what comes for it.
final class Receivers: NSObject, URLSessionDataDelegate, Sendable {
    private let receivers = Lock<[Int: any Receiver]>([:])

    func add(_ receiver: any Receiver, for task: URLSessionTask) {
        receivers.withLock { $0[task.taskIdentifier] = receiver }
    }

    func remove(_ task: URLSessionTask) -> (any Receiver)? {
        receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func receiver(of task: URLSessionTask) -> (any Receiver)? {
        receivers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = (response as? HTTPURLResponse).flatMap { receiver(of: dataTask)?.begin($0) } ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if receiver(of: dataTask)?.take(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.end(error)
    }

    /// No redirect is followed: a token is for the server that gave it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }
}

/// Gathers one whole answer.
private final class AnswerReceiver: Receiver {
    private struct State: Sendable {
        var head: HTTPURLResponse?
        var body = Data()
        var result: Result<RemoteAnswer, any Error>?
        var waiting: CheckedContinuation<RemoteAnswer, any Error>?
    }

    private let request: URLRequest
    private let largest: Int
    private let isDropped: Bool
    private let state = Lock(State())

    init(_ request: URLRequest, largest: Int, isDropped: Bool) {
        (self.request, self.largest, self.isDropped) = (request, largest, isDropped)
    }

    func answer() async throws -> RemoteAnswer {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func begin(_ head: HTTPURLResponse) -> Bool {
        guard !isDropped else {
            end(RemoteFailure.lost(request))
            return false
        }
        state.withLock { $0.head = head }
        return true
    }

    func take(_ bytes: Data) -> Bool {
        let isTooLarge = state.withLock { state in
            state.body += bytes
            return state.body.count > largest
        }
        if isTooLarge { end(RemoteFailure.tooLarge(request, largest)) }
        return !isTooLarge
    }

    func end(_ error: (any Error)?) {
        let (waiting, result) = state.withLock { state in
            let result = state.result ?? outcome(error, state)
            state.result = result
            return (state.waiting.take(), result)
        }
        waiting?.resume(with: result)
    }

    private func outcome(_ error: (any Error)?, _ state: State) -> Result<RemoteAnswer, any Error> {
        if let error {
            let isOurs = error is RemoteFailure || error is CancellationError
            return .failure(isOurs ? error : RemoteFailure.lost(request, error))
        }
        guard let head = state.head else { return .failure(RemoteFailure.lost(request)) }
        return .success(RemoteAnswer(question: request.question, head: head, body: state.body))
    }
}
