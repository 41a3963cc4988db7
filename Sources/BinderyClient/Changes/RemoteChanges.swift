import Foundation

/// The changes of a session or of a named entity; they go on after lost connections and restarts of the server.
///
/// After a lost connection the client reconnects with its cursor, and gets the missed changes or a snapshot. When the loop
/// ends or its task is cancelled, the client closes the connection and delivers nothing more.
public struct RemoteChanges: AsyncSequence, Sendable {
    let session: RemoteSession
    /// The path of a named entity, without the first slash; nil for the session.
    let entity: String?
    let topics: [String]
    let cursor: RemoteCursor?
    let onConnection: @Sendable (RemoteConnection) -> Void
    /// Chooses the cursor for a new stream.
    var opening: @Sendable (RemoteCursor?) async -> RemoteCursor? = { $0 }

    /// Begins at the cursor of the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// One reader of the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: RemoteChanges
        private var client: BinderyClient { changes.session.client }
        private var cursor: RemoteCursor?
        private var backoff: Backoff
        private var stream: Exchange?
        /// The time since the stream was opened.
        private var age: @Sendable () -> Duration = { .zero }
        private var parser = EventParser()
        private var events: ArraySlice<EventParser.Event> = []
        private var isLive = false

        fileprivate init(_ changes: RemoteChanges) {
            (self.changes, cursor) = (changes, changes.cursor)
            backoff = Backoff(changes.session.client.options)
        }

        /// The next update; never nil.
        ///
        /// - Throws: ``RemoteProblem``, such as 401 after the end of the session, or 404 after the end of a named entity;
        ///   ``RemoteFailure`` if no Bindery server has ever answered the client; `CancellationError`.
        public mutating func next() async throws -> RemoteUpdate? {
            while true {
                do {
                    if let update = try await attempt() {
                        try Task.checkCancellation()
                        return update
                    }
                } catch { try await recover(from: error) }
            }
        }

        /// Takes one event; nil if it changes nothing.
        private mutating func attempt() async throws -> RemoteUpdate? {
            let stream: Exchange
            if let open = self.stream { stream = open } else { stream = try await open() }
            self.stream = stream
            if events.isEmpty { events = try parser.read(await bytes(of: stream))[...] }
            if !isLive { changes.onConnection(.live) }
            isLive = true
            guard let event = events.popFirst() else { return nil }
            switch event.name {
            case "delta", "snapshot":
                let update = try RemoteUpdate(event.data)
                cursor = update.cursor
                return update
            case "ping": cursor = event.id.flatMap { RemoteCursor($0) } ?? cursor
            // This request throws the reason.
            case "session-ended", "ended": _ = try await changes.session.show(changes.entity)
            // A later build may send other events.
            default: break
            }
            return nil
        }

        private mutating func open() async throws -> Exchange {
            let topics = changes.topics.isEmpty ? "" : "?topics=" + changes.topics.joined(separator: ",")
            let path = changes.entity.map { "/\($0)/changes" } ?? "/changes"
            var request = changes.session.request("GET", path + topics)
            request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
            request.setValue(await changes.opening(cursor)?.description, forHTTPHeaderField: "Last-Event-ID")
            (parser, events) = (EventParser(), [])
            let stream = try await client.open(request)
            age = client.options.clock.stopwatch()
            return stream
        }

        private func bytes(of stream: Exchange) async throws -> Data {
            let bytes = try await stream.next()
            guard stream.head?.statusCode == 200, stream.head?.mimeType == "text/event-stream" else {
                let answer = try await stream.answer(after: bytes ?? Data())
                throw answer.status < 400 ? answer.foreign() : RemoteProblem(answer)
            }
            guard let bytes else { throw RemoteFailure(.connectionLost, "The server ended the stream.") }
            client.noteReached()
            return bytes
        }

        /// Waits until the next attempt is due.
        ///
        /// - Throws: the error if a retry cannot help.
        private mutating func recover(from error: any Error) async throws {
            stream = nil
            // If a server accepts streams and closes them at once, the pauses must grow.
            if isLive, age() >= .seconds(10) { backoff.reset() }
            switch error {
            case let problem as RemoteProblem where problem.isPassing || problem.status == 429: break
            // A server that answered before is away. HTML comes from a proxy, or from the login page of a network.
            case is RemoteFailure where client.isReached: break
            default: throw error
            }
            let pause = backoff.pause(after: error)
            isLive = false
            changes.onConnection(.waiting(pause, after: error))
            try await client.options.clock.sleep(for: pause)
        }
    }
}

/// The state of the connection on which changes arrive.
public enum RemoteConnection: Sendable {
    /// Changes arrive.
    case live
    /// The connection was lost, and the client connects again after a pause; the shown values may be old.
    case waiting(Duration, after: any Error)
    /// No more changes arrive, for example after the end of the session.
    case ended(any Error)
}

/// The pauses between attempts: each twice as long as the last one, less up to a half at random.
struct Backoff: Sendable {
    private let limits: ClosedRange<Duration>
    private var next: Duration

    init(_ options: BinderyClient.Options) { (limits, next) = (options.pauses, options.pauses.lowerBound) }

    /// The next pause; a server that asks for a longer delay gets it.
    mutating func pause(after error: any Error) -> Duration {
        let pause = min(next, limits.upperBound)
        next = pause * 2
        return max(pause * Double.random(in: 0.5...1), (error as? RemoteProblem)?.retryAfter ?? .zero)
    }

    /// The next failure counts as the first.
    mutating func reset() { next = limits.lowerBound }
}
