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

    init(_ events: HTTP.Stream, to exchange: Exchange, _ question: FeedQuestion, in service: Service) {
        (self.events, self.question, self.service) = (events, question, service)
        (entity, eyes) = (exchange.entity, exchange.eyes)
        ends = service.environment.timer.now + Self.longestLife * Double.random(in: 0.5...1)
    }

    /// Sends the first event, also if it is a ping: the client learns by it that the stream is open.
    func begin(with first: FeedAnswer) { goOn(after: first, first.event(retry: 2000, isNamed: entity.id.isNamed)) }

    /// The client is gone, or the server has ended the stream.
    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        entity.cancelWait(wait.load(ordering: .sequentiallyConsistent))
    }

    /// The client's session has ended.
    ///
    /// - Parameter answer: that of the session's feed.
    func sessionEnded(_ answer: FeedAnswer) {
        end()
        events.finish(saying: answer.event(retry: nil, isNamed: false))
    }

    private func take(_ result: Waits.Answer) {
        // If the feed fails, the client comes back with its cursor and is told why.
        guard case .success(let answer) = result else { return events.finish() }
        // A client that may see more or less comes back for a snapshot.
        if answer.kind != .ended, eyes(answer.state) != question.sight { return events.finish() }
        let event = service.events.body(answer.body) { answer.event(retry: nil, isNamed: entity.id.isNamed) }
        if answer.kind == .ended { return events.finish(saying: event) }
        goOn(after: answer, event)
    }

    private func goOn(after answer: FeedAnswer, _ event: SharedBody) {
        guard events.send(event) else { return }
        let rest = ends - service.environment.timer.now
        guard rest > .zero, !service.isDraining else { return events.finish() }
        let id = entity.wait(question, since: answer.position, for: min(.seconds(15), rest)) { [self] in take($0) }
        // The answer may have come, and with it a later wait.
        wait.max(id, ordering: .sequentiallyConsistent)
        if isOver.load(ordering: .sequentiallyConsistent) { entity.cancelWait(id) }
    }
}

extension FeedAnswer {
    /// The answer as a server-sent event; an idle one is a ping.
    ///
    /// - Parameter milliseconds: how long the client waits before it reconnects.
    fileprivate func event(retry milliseconds: Int?, isNamed: Bool) -> SharedBody {
        let (name, data) =
            switch kind {
            case .delta, .snapshot: (kind.rawValue, body)
            case .idle: ("ping", Array("{}".utf8))
            case .ended where isNamed: (kind.rawValue, Array(#"{"kind":"ended"}"#.utf8))
            case .ended: ("session-ended", Array("{}".utf8))
            }
        let id = kind == .ended ? nil : "\(cursor)"
        return SharedBody(HTTP.Stream.frame(event: name, id: id, data: data, retry: milliseconds))
    }
}
