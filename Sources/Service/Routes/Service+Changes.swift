import HTTP
import Sessions

extension Service {
    /// The route of the change feed, as a long-poll or as an event stream.
    var changesRoute: Route {
        Route(.get, "/changes") { [self] request in
            let query = try ChangesQuery(request, catalogue: registry.catalogue, options: options)
            return try await failures {
                let session = try await session(of: request)
                return query.isStream
                    ? try stream(query.feed, of: session, to: request) : try await poll(query, of: session)
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
                    // Given up, because there is nobody left to answer.
                    case .failure: pending.answer(.internalError)
                    }
                }
                return { wait.cancel() }
            })
    }

    private static func response(_ answer: FeedAnswer) -> Response {
        var response = Response.json(answer.json, headers: [])
        if case .idle(.draining) = answer.kind { response.closesConnection = true }
        return response
    }

    /// - Throws: ``Problem``, 429, where as many streams are open as there may be.
    private func stream(_ query: FeedQuery, of session: Session, to request: Request) throws -> Response {
        let place = try streamPlace(in: session, for: request)
        let stream = ChangeStream(session: session, query: query, options: options, timeline: timeline)
        return .eventStream { events in
            await stream.run(into: events)
            withExtendedLifetime(place) {}
        }
    }

    /// Nil where there is no bound: for this machine's own clients in the public session.
    private func streamPlace(in session: Session, for request: Request) throws -> StreamPlaces.Place? {
        let holder: StreamPlaces.Holder
        if session.id == .public {
            guard !request.isLocal else { return nil }
            holder = .network(request.client?.network ?? .unspecified)
        } else {
            holder = .session(session.id)
        }
        guard let place = streamPlaces.take(for: holder) else { throw ProblemType.tooManyStreams.passing(after: 10) }
        return place
    }
}
