import HTTP
import Sessions

extension Service {
    /// The route of the change feed, as a long-poll or as an event stream.
    var changesRoute: Route {
        Route(.get, "/changes") { [self] request in
            let query = try ChangesQuery(request, catalogue: registry.catalogue, options: options)
            return try await failures {
                let session = try await session(of: request)
                guard query.isStream else { return try await poll(query, of: session) }
                return try await stream(query.feed, of: session, isHead: request.method == .head)
            }
        }
    }

    private func poll(_ query: ChangesQuery, of session: Session) async throws -> Response {
        if let answer = try await session.changesNow(query.feed) { return Self.response(answer) }
        let wait = query.wait * Double.random(in: (1 - options.waitJitter)...1)
        return Response(
            body: .later { pending in
                let wait = session.await(query.feed, lasting: wait) { result in
                    switch result {
                    case .success(let answer): pending.answer(Self.response(answer))
                    case .failure(let failure as SessionFailure): pending.answer(Problem(failure))
                    case .failure: pending.answer(.internalError)
                    }
                }
                // A client that will send no more may still read what it asked for.
                return { wait.end() }
            })
    }

    private static func response(_ answer: FeedAnswer) -> Response {
        if case .idle = answer.kind {
            var response = Response.json(answer.json, headers: [])
            if case .idle(.draining) = answer.kind { response.closesConnection = true }
            return response
        }
        let body = answer.rendition { PollBody(shared: SharedBody(answer.json)) }
        return Response(headers: [.json, .noStore], body: .shared(body.shared))
    }

    private func stream(_ query: FeedQuery, of session: Session, isHead: Bool) async throws -> Response {
        // Nobody listens behind a head.
        if isHead { return .eventStream { _ in SilentSource() } }
        // Where the session left memory this moment, it is found anew.
        guard session.openStream() else { throw SessionFailure.putAway }
        do {
            // Without a cursor there is a snapshot, so there is a first answer either way.
            guard let first = try await session.changesNow(query) ?? .nothingNew(for: query) else {
                throw SessionFailure.unavailable
            }
            return .eventStream { [options, timeline] events in
                ChangeStream(events, of: session, query: query, first: first, options: options, timeline: timeline)
            }
        } catch {
            session.closeStream()
            throw error
        }
    }
}

/// The events of a stream of which only the head was asked for.
private final class SilentSource: EventSource {
    func streamIsReady() {}
    func streamIsOver() {}
}

/// An answer as the body of a long-poll, made once for all that are given it.
private struct PollBody: Sendable {
    let shared: SharedBody
}
