import HTTP
import Locking
import Sessions

/// One client's event stream: the long-poll's answers, one after the other, as Server-Sent Events.
///
/// It keeps no task. When its stream takes the next event it asks the session for what came after its own cursor, and
/// whoever has the answer sends it: what changes while a slow client is being written to is told in one later event, never
/// lost.
final class ChangeStream: EventSource {
    private struct State: Sendable {
        var query: FeedQuery
        /// What it begins with; nil once that was sent.
        var first: FeedAnswer?
        var wait: SessionWait?
        var isOver = false
    }

    private let session: Session
    private let events: EventStream
    /// Kept for as long as the stream is open; nil where it needs none.
    private let place: StreamPlaces.Place?
    private let options: ServiceOptions
    private let timeline: any Timeline
    private let end: Duration
    private let state: Lock<State>

    /// - Parameter first: what there is to say at once.
    init(
        _ events: EventStream, of session: Session, query: FeedQuery, first: FeedAnswer, place: StreamPlaces.Place?,
        options: ServiceOptions, timeline: any Timeline
    ) {
        self.events = events
        self.session = session
        self.place = place
        self.options = options
        self.timeline = timeline
        let life = options.streamLife
        end = timeline.now + life.lowerBound + (life.upperBound - life.lowerBound) * Double.random(in: 0...1)
        state = Lock(State(query: query, first: first))
    }

    func streamIsReady() {
        let (first, query) = state.withLock { state in (state.first.take(), state.query) }
        // It comes at once, if it is a ping: until something comes, no client knows that the stream is open.
        if let first { return tell(.success(first), retry: 2000) }
        let now = timeline.now
        guard now < end else { return events.finish() }
        let wait = session.await(query, lasting: min(options.pingInterval, end - now), as: .stream) { [self] in
            tell($0)
        }
        let isOver = state.withLock { state in
            state.wait = wait
            return state.isOver
        }
        if isOver { wait.cancel() }
    }

    func streamIsOver() {
        let wait = state.withLock { state in
            state.isOver = true
            return state.wait.take()
        }
        wait?.cancel()
        session.closeStream()
    }

    private func tell(_ result: Result<FeedAnswer, any Error>, retry: Int? = nil) {
        switch result {
        case .success(let answer):
            if case .idle(.draining) = answer.kind { return events.finish() }
            state.withLock { $0.query.since = answer.cursor }
            events.send(retry == nil ? answer.event : SharedBody(answer.frame(retry: retry)))
        case .failure(SessionFailure.ended):
            events.send(SharedBody(EventStream.frame(event: "session-ended", id: nil, data: Array("{}".utf8))))
            events.finish()
        case .failure:
            // The client is gone, or comes back with its cursor when the store does.
            events.finish()
        }
    }
}

/// An answer as an event, made once for all streams that are given it.
private struct Event: Sendable {
    let body: SharedBody
}

extension FeedAnswer {
    fileprivate var event: SharedBody { rendition { Event(body: SharedBody(frame(retry: nil))) }.body }

    /// A delta or a snapshot, or a ping that says how far the client has heard everything.
    fileprivate func frame(retry: Int?) -> [UInt8] {
        if case .idle = kind {
            return EventStream.frame(event: "ping", id: cursor.description, data: Array("{}".utf8), retry: retry)
        }
        return EventStream.frame(event: name, id: cursor.description, data: json, retry: retry)
    }
}
