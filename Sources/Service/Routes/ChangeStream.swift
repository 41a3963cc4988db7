import Entities
import HTTP
import Synchronization

/// A client's event stream: after each answer of the feed, it waits again from the position of that answer.
final class ChangeStream: Sendable {
    private let events: HTTP.Stream
    private let entity: Entity
    private let question: FeedQuestion
    /// Gives the client's sight of a state.
    private let sightOf: SightOf
    private let service: Service
    /// The time of the timer's clock at which the stream ends; the client then reconnects.
    private let ends: Duration
    private let wait = Atomic<Waits.ID>(0)
    private let isOver = Atomic(false)
    /// The longest life of a stream.
    static let longestLife = Duration.seconds(600)

    init(
        _ events: HTTP.Stream, of entity: Entity, _ question: FeedQuestion, _ sightOf: @escaping SightOf,
        in service: Service
    ) {
        (self.events, self.entity, self.question) = (events, entity, question)
        (self.sightOf, self.service) = (sightOf, service)
        ends = service.environment.timer.now + Self.longestLife * Double.random(in: 0.5...1)
    }

    /// Ends the wait after the client has disconnected, or the server has ended the stream.
    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        entity.cancelWait(wait.load(ordering: .sequentiallyConsistent))
    }

    /// Ends a stream of a named entity after the end of the client's session.
    func sessionEnded() {
        end()
        events.finish(saying: .sessionEnded)
    }

    /// Sends an answer of the feed and waits for the next one.
    ///
    /// - Parameter milliseconds: how long the client waits before it reconnects.
    func send(_ answer: FeedAnswer, retry milliseconds: Int? = nil) {
        if answer.kind == .ended { return events.finish(saying: entity.id.isNamed ? .ended : .sessionEnded) }
        // If the client's sight has changed, it reconnects and gets a snapshot.
        guard (try? sightOf(answer.state)) == question.sight else { return events.finish() }
        let event =
            milliseconds == nil
            ? service.events.body(answer.body) { answer.event() } : answer.event(retry: milliseconds)
        guard events.send(event) else { return }
        let rest = ends - service.environment.timer.now
        guard rest > .zero, !service.isDraining else { return events.finish() }
        let id = entity.wait(question, since: answer.position, for: min(.seconds(15), rest)) { [self] result in
            // If the feed fails, the client reconnects with its cursor and gets the problem.
            if case .success(let answer) = result { send(answer) } else { events.finish() }
        }
        // The answer may have come already and started a later wait.
        wait.max(id, ordering: .sequentiallyConsistent)
        if isOver.load(ordering: .sequentiallyConsistent) { entity.cancelWait(id) }
    }
}

extension FeedAnswer {
    /// The answer as a server-sent event; an idle answer is a ping.
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
