import Entities
import HTTP
import Synchronization

/// A client's event stream: a client of the feed that waits again from the position of its last answer.
final class ChangeStream: Sendable {
    private let events: HTTP.Stream
    private let entity: Entity
    private let question: FeedQuestion
    /// What the client may see.
    private let eyes: Eyes
    private let service: Service
    /// When the client must come back, by the timer's clock.
    private let ends: Duration
    private let wait = Atomic<Waits.ID>(0)
    private let isOver = Atomic(false)
    /// How long a stream lives, at most.
    static let longestLife = Duration.seconds(600)

    init(
        _ events: HTTP.Stream, of entity: Entity, _ question: FeedQuestion, _ eyes: @escaping Eyes, in service: Service
    ) {
        (self.events, self.entity, self.question, self.eyes, self.service) = (events, entity, question, eyes, service)
        ends = service.environment.timer.now + Self.longestLife * Double.random(in: 0.5...1)
    }

    /// The client is gone, or the server has ended the stream.
    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        entity.cancelWait(wait.load(ordering: .sequentiallyConsistent))
    }

    /// The client's session has ended, while it waits on a named entity.
    func sessionEnded() {
        end()
        events.finish(saying: .sessionEnded)
    }

    /// Sends an answer of the feed, and waits for the next one.
    ///
    /// - Parameter milliseconds: how long the client waits before it reconnects.
    func send(_ answer: FeedAnswer, retry milliseconds: Int? = nil) {
        if answer.kind == .ended { return events.finish(saying: entity.id.isNamed ? .ended : .sessionEnded) }
        // A client that may see more or less comes back for a snapshot.
        guard (try? eyes(answer.state)) == question.sight else { return events.finish() }
        let event =
            milliseconds == nil
            ? service.events.body(answer.body) { answer.event() } : answer.event(retry: milliseconds)
        guard events.send(event) else { return }
        let rest = ends - service.environment.timer.now
        guard rest > .zero, !service.isDraining else { return events.finish() }
        let id = entity.wait(question, since: answer.position, for: min(.seconds(15), rest)) { [self] result in
            // If the feed fails, the client comes back with its cursor and is told why.
            if case .success(let answer) = result { send(answer) } else { events.finish() }
        }
        // The answer may have come, and with it a later wait.
        wait.max(id, ordering: .sequentiallyConsistent)
        if isOver.load(ordering: .sequentiallyConsistent) { entity.cancelWait(id) }
    }
}

extension FeedAnswer {
    /// The answer as a server-sent event; an idle one is a ping.
    fileprivate func event(retry milliseconds: Int? = nil) -> SharedBody {
        let (name, data) = kind == .idle ? ("ping", Array("{}".utf8)) : (kind.rawValue, body)
        return SharedBody(HTTP.Stream.frame(event: name, id: "\(cursor)", data: data, retry: milliseconds))
    }
}

extension SharedBody {
    /// The last event of a named entity.
    fileprivate static let ended = SharedBody(
        HTTP.Stream.frame(event: "ended", id: nil, data: Array(#"{"kind":"ended"}"#.utf8)))
    /// The last event of a session.
    fileprivate static let sessionEnded = SharedBody(
        HTTP.Stream.frame(event: "session-ended", id: nil, data: Array("{}".utf8)))
}
