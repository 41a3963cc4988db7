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
    private struct Lines: Sendable {
        var requests: Connections?
        var waits: WaitingConnections?
    }

    private let lines = Lock(Lines())
    let clock: any Clock<Duration>
    private let largestAnswer: Int
    /// What is asked on a connection before anything waits there; see ``WaitingConnections``.
    private let opening: URLRequest
    /// How many answers to actions are thrown away, for a test.
    private let dropped = Lock(0)

    init(clock: any Clock<Duration>, largestAnswer: Int, opening: URLRequest) {
        self.clock = clock
        self.largestAnswer = largestAnswer
        self.opening = opening
    }

    /// Closes the connections on which nothing is under way; others are closed when that is over.
    func closeIdle() {
        // Released after unlocking.
        _ = lines.withLock { lines in
            defer { lines = Lines() }
            return lines
        }
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
        guard line == .waits else { return try await answer(to: request, over: requests, within: time) }
        let waits = waits
        let connections = try await connections(of: waits, for: request)
        let answer = try await answer(to: request, over: connections, within: time)
        if answer.keepsConnection { waits.keep(connections) }
        return answer
    }

    /// Opens an event stream.
    ///
    /// - Parameters:
    ///   - silence: how long it may be without a byte.
    ///   - firstEvent: how long it may be without its first event after its head; nil for as long as that.
    /// - Throws: ``RemoteFailure`` where nobody can be reached; `CancellationError`.
    func events(of request: URLRequest, silence: Duration, firstEvent: Duration?) async throws -> EventLine {
        let connections = try await connections(of: waits, for: request)
        let receiver = EventReceiver(request, clock: clock, largest: largestAnswer)
        return EventLine(
            receiver, over: connections.begin(request, for: receiver), silence: silence, firstEvent: firstEvent,
            clock: clock)
    }

    private var requests: Connections {
        lines.withLock { lines in
            let requests = lines.requests ?? Connections(most: 6)
            lines.requests = requests
            return requests
        }
    }

    private var waits: WaitingConnections {
        lines.withLock { lines in
            let waits = lines.waits ?? WaitingConnections(clock: clock)
            lines.waits = waits
            return waits
        }
    }

    private func connections(of waits: WaitingConnections, for request: URLRequest) async throws -> Connections {
        try await waits.connections(for: request) { connections, time in
            _ = try await answer(to: opening, over: connections, within: time)
        }
    }

    private func answer(
        to request: URLRequest, over connections: Connections, within time: Duration
    ) async throws -> RemoteAnswer {
        try Task.checkCancellation()
        let receiver = AnswerReceiver(request, largest: largestAnswer, isDropped: isDropped(request))
        let call = connections.begin(request, for: receiver)
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
