import HTTP
import Sessions

extension Service {
    /// The route of the change feed, as a long-poll or as an event stream.
    var changesRoute: Route {
        Route(.get, "/changes") { [self] request in
            let query = try ChangesQuery(request, catalogue: registry.catalogue, options: options)
            return try answer(request) { [self] session, request in
                guard !query.isStream else {
                    return .later { [self] in try await stream(query.feed, of: session, to: request) }
                }
                return try session.changes(query.feed).map { [self] answer in
                    answer.map(Self.response) ?? waiting(query, of: session)
                }
            }
        }
    }

    private func waiting(_ query: ChangesQuery, of session: Session) -> Response {
        let wait = query.wait * Double.random(in: (1 - options.waitJitter)...1)
        return Response(
            body: .later { pending in
                let wait = session.wait(for: query.feed, lasting: wait) { result in
                    switch result {
                    case .success(let answer): pending.answer(Self.response(answer))
                    case .failure(let error): pending.answer(.of(error))
                    }
                }
                // A client that will send no more may still read what it asked for.
                return { _ in wait.end() }
            })
    }

    private static func response(_ answer: FeedAnswer) -> Response {
        if case .idle = answer.kind {
            var response = Response.json(answer.json, headers: [])
            if case .idle(.draining) = answer.kind { response.closesConnection = true }
            return response
        }
        let body = answer.rendition(as: .answer) { SharedBody(answer.json, headers: [.json, .noStore]) }
        return Response(body: .shared(body))
    }

    /// - Throws: ``Problem``, 429, where as many streams are open as there may be.
    private func stream(_ query: FeedQuery, of session: Session, to request: Request) async throws -> Response {
        // Nobody listens behind a head.
        if request.method == .head { return .eventStream(nil) }
        let place = try streamPlace(in: session, for: request)
        // Where the session left memory this moment, it is found anew.
        guard session.openStream() else { throw SessionFailure.evicted }
        do {
            // Without a cursor there is a snapshot, so there is a first answer either way.
            guard let first = try await session.changes(query).value ?? .nothingNew(for: query) else {
                throw SessionFailure.unavailable(.notRead)
            }
            return .eventStream { [streamGroups] events in
                streamGroups.join(events, of: session, query: query, first: first, place: place)
            }
        } catch {
            session.closeStream()
            throw error
        }
    }

    /// Nil where there is no bound: for this machine's own clients in the public session.
    private func streamPlace(in session: Session, for request: Request) throws -> StreamPlaces.Place? {
        let holder: StreamPlaces.Holder
        if session.id == .public {
            guard !request.isLocal else { return nil }
            holder = .network(request.client.network)
        } else {
            holder = .session(session.id)
        }
        guard let place = streamPlaces.take(for: holder) else { throw ProblemType.tooManyStreams.passing(after: 10) }
        return place
    }
}
