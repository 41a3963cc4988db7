import HTTP
import Sessions

/// One client's event stream: the long-poll's answers, one after the other, as Server-Sent Events.
///
/// It asks the session for what came after its own cursor, again and again, and takes its time to send it: what
/// changes while a slow client is being written to is told in one later event, never lost.
struct ChangeStream: Sendable {
    let session: Session
    let query: FeedQuery
    let options: ServiceOptions
    let timeline: any Timeline

    /// Sends events until the client goes away, the session ends, the server stops or the stream has lived its time.
    func run(into events: EventStream) async {
        // Where the session left memory this moment, the client comes back and finds it anew.
        guard session.openStream() else { return }
        defer { session.closeStream() }
        do {
            try await send(into: events)
        } catch SessionFailure.ended {
            try? await events.send(event: "session-ended", id: nil, data: Array("{}".utf8))
        } catch {
            // The client is gone, or comes back with its cursor when the store does.
        }
    }

    private func send(into events: EventStream) async throws {
        let life = options.streamLife
        let end = timeline.now + life.lowerBound + (life.upperBound - life.lowerBound) * Double.random(in: 0...1)
        var query = query
        // The first comes at once, if it is a ping: until something comes, no client knows that the stream is open.
        var retry: Int? = 2000
        while timeline.now < end {
            let wait = retry == nil ? min(options.pingInterval, end - timeline.now) : .zero
            let answer = try await session.changes(query, wait: wait, as: .stream)
            let id = answer.cursor.description
            switch answer.kind {
            case .delta, .snapshot: try await events.send(event: answer.name, id: id, data: answer.json, retry: retry)
            case .idle(.draining): return
            case .idle: try await events.send(event: "ping", id: id, data: Array("{}".utf8), retry: retry)
            }
            query.since = answer.cursor
            retry = nil
        }
    }
}
