import Foundation
import Locking
import ViewModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One connection of an event stream; closed when nobody has it any more.
final class EventLine: Sendable {
    private let receiver: EventReceiver
    private let call: Call
    private let watches: [Task<Void, any Error>]

    /// A stream was answered with 200, and its first event did not come in time: a proxy on the way holds it back.
    struct HeldBack: Error {}

    /// - Parameter firstEvent: how long after its head the stream may be without an event; nil for as long as its silence.
    init(
        _ receiver: EventReceiver, over call: Call, silence: Duration, firstEvent: Duration?, clock: any Clock<Duration>
    ) {
        self.receiver = receiver
        self.call = call
        let silent = Task { [weak receiver] in
            while let quiet = receiver?.quiet, quiet < silence { try await clock.sleep(for: silence - quiet) }
            receiver?.end(after: silence)
        }
        let heldBack = firstEvent.map { time in
            Task { [weak receiver] in
                guard let begun = receiver?.begun else { return }
                for await _ in begun { break }
                try await clock.sleep(for: time)
                receiver?.endWhereNothingWasHeard()
            }
        }
        watches = [silent] + (heldBack.map { [$0] } ?? [])
    }

    deinit { for watch in watches { watch.cancel() } }

    /// What came since the last call, once there is something.
    ///
    /// - Returns: nil where the server ended the stream because the session has ended.
    /// - Throws: ``RemoteProblem``, ``RemoteFailure``; `CancellationError`, and then the connection is closed.
    func next() async throws -> RemoteUpdate? {
        try await withTaskCancellationHandler {
            try await receiver.next()
        } onCancel: {
            receiver.end(CancellationError())
            call.close()
        }
    }

    /// Whether an event has come, a ping at least.
    var hasHeard: Bool { receiver.hasHeard }
    /// For how long it has been there.
    var life: Duration { receiver.life }
    /// How far the client has heard everything, where a ping says more than the last update.
    var cursor: RemoteCursor? { receiver.cursor }
    /// After how long the server wants to see its clients again, as far as it has said.
    var retry: Duration? { receiver.retry }
}

/// Gathers the events of a stream into one update, until somebody asks for it.
///
/// It holds no more than the newest value of each output, however slow its reader is.
final class EventReceiver: Receiver {
    private struct State: Sendable {
        var head: HTTPURLResponse?
        var events: EventParser
        /// Of an answer that is no stream.
        var body = Data()
        var pending: RemoteUpdate?
        var cursor: RemoteCursor?
        var hasHeard = false
        var end: Result<Void, any Error>?
        var waiting: CheckedContinuation<RemoteUpdate?, any Error>?
        var latestBytes = Duration.zero

        /// What a reader is given now; nil where it has to wait.
        mutating func delivery() -> Result<RemoteUpdate?, any Error>? {
            if let pending = pending.take() { return .success(pending) }
            return end.map { $0.map { nil } }
        }
    }

    private let request: URLRequest
    private let largest: Int
    private let elapsed: @Sendable () -> Duration
    private let state: Lock<State>
    /// Gives one element when the head of an event stream is there, and ends.
    let begun: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation

    init(_ request: URLRequest, clock: any Clock<Duration>, largest: Int) {
        (begun, beginning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.request = request
        self.largest = largest
        elapsed = clock.stopwatch()
        state = Lock(State(events: EventParser(largest: largest)))
    }

    /// For how long nothing has come.
    var quiet: Duration { elapsed() - state.withLock { $0.latestBytes } }
    var life: Duration { elapsed() }
    var hasHeard: Bool { state.withLock { $0.hasHeard } }
    var cursor: RemoteCursor? { state.withLock { $0.cursor } }
    var retry: Duration? { state.withLock { $0.events.retry } }

    func next() async throws -> RemoteUpdate? {
        try await withCheckedThrowingContinuation { continuation in
            let delivery = state.withLock { state in
                let delivery = state.delivery()
                if delivery == nil { state.waiting = continuation }
                return delivery
            }
            if let delivery { continuation.resume(with: delivery) }
        }
    }

    func begin(_ head: HTTPURLResponse) -> Bool {
        state.withLock { $0.head = head }
        guard head.statusCode == 200 else { return true }
        guard head.mimeType != "text/event-stream" else {
            beginning.yield()
            return true
        }
        end(
            RemoteFailure(
                foreign:
                    "\(request.question) was answered with \(head.mimeType ?? "no type") and not with an event stream: a proxy on "
                    + "the way may have answered. See that the URL is the server's."))
        return false
    }

    func take(_ bytes: Data) -> Bool {
        let now = elapsed()
        do {
            try change { state in
                state.latestBytes = now
                guard state.head?.statusCode == 200 else {
                    state.body += bytes
                    guard state.body.count <= largest else { throw EventParser.TooLarge() }
                    return
                }
                for event in try state.events.read(bytes) { try take(event, into: &state) }
            }
            return true
        } catch is EventParser.TooLarge {
            end(RemoteFailure.tooLarge(request, largest))
        } catch {
            end(
                RemoteFailure(
                    .notUnderstood, "\(request.question): an event is not what this build of the client knows.",
                    cause: error))
        }
        return false
    }

    private func take(_ event: EventParser.Event, into state: inout State) throws {
        switch event.name {
        case "delta", "snapshot":
            let update = try JSON.decode(RemoteUpdate.self, from: event.data)
            state.pending = state.pending?.followed(by: update) ?? update
            (state.cursor, state.hasHeard) = (update.cursor, true)
        case "ping":
            let cursor = event.id.flatMap { RemoteCursor($0) } ?? state.cursor
            // The first says that the line is there; the others need to be told to nobody.
            if !state.hasHeard, let cursor { state.pending = RemoteUpdate(idleAt: cursor) }
            (state.cursor, state.hasHeard) = (cursor, true)
        case "session-ended": state.end = state.end ?? .success(())
        // Of a later build.
        default: break
        }
    }

    /// Gives a line up that is held back.
    func endWhereNothingWasHeard() { if !hasHeard { end(EventLine.HeldBack()) } }

    /// Gives a line up that is silent.
    func end(after silence: Duration) { end(RemoteFailure.late(request, after: silence)) }

    func end(_ error: (any Error)?) {
        // Only the first counts, and what was cancelled gives nothing any more.
        try? change { state in
            guard state.end == nil else { return }
            if error is CancellationError { state.pending = nil }
            state.end = .failure(reason(error, state))
        }
    }

    private func reason(_ error: (any Error)?, _ state: State) -> any Error {
        switch error {
        case let error? where error is RemoteFailure || error is CancellationError || error is EventLine.HeldBack:
            return error
        case let error?: return RemoteFailure.lost(request, error)
        case nil:
            guard let head = state.head, head.statusCode != 200 else { return RemoteFailure.lost(request) }
            let answer = RemoteAnswer(question: request.question, head: head, body: state.body)
            return RemoteProblem(answer) ?? answer.foreign()
        }
    }

    /// Changes the state, and gives whoever waits what there is then.
    private func change(_ body: (inout State) throws -> Void) throws {
        let (waiting, delivery) = try state.withLock { state in
            // Nothing is taken after the end.
            if state.end == nil { try body(&state) }
            guard state.waiting != nil, let delivery = state.delivery() else {
                return (
                    CheckedContinuation<RemoteUpdate?, any Error>?.none, Result<RemoteUpdate?, any Error>.success(nil)
                )
            }
            return (state.waiting.take(), delivery)
        }
        waiting?.resume(with: delivery)
    }
}

extension Clock where Duration == Swift.Duration {
    /// Tells how much time has passed since this call.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
