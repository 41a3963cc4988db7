import HTTP
import Sessions

extension Service {
    /// The route of the change feed, as a long-poll or as an event stream.
    var changesRoute: Route {
        Route(.get, "/changes") { [self] request, responder in
            let query = try ChangesQuery(request, catalogue: registry.catalogue, options: options)
            try answer(request, responder) { [self] session, request, responder in
                guard !query.isStream else {
                    return .later { [self] in
                        try await stream(query.feed, of: session, to: request, responder)
                        return nil
                    }
                }
                return try session.changes(query.feed).map { [self] answer in
                    if let answer { return Self.response(answer) }
                    wait(query, of: session, responder)
                    return nil
                }
            }
        }
    }

    private func wait(_ query: ChangesQuery, of session: Session, _ responder: Responder) {
        let wait = query.wait * Double.random(in: (1 - options.waitJitter)...1)
        let waiting = session.wait(for: query.feed, lasting: wait) { result in
            switch result {
            case .success(let answer): responder.send(Self.response(answer))
            case .failure(let error): responder.send(.of(error))
            }
        }
        // The client may have closed its sending side alone, and still read what it asked for.
        responder.onHangUp { _ in waiting.end() }
    }

    private static func response(_ answer: FeedAnswer) -> Response {
        if case .idle = answer.kind {
            var response = Response.json(answer.json, headers: [])
            if case .idle(.draining) = answer.kind { response.closesConnection = true }
            return response
        }
        return Response(
            body: .shared(answer.rendition(as: .answer) { SharedBody(answer.json, headers: [.json, .noStore]) }))
    }

    /// - Throws: ``Problem``, 429, where as many streams are open as there may be.
    private func stream(
        _ query: FeedQuery, of session: Session, to request: Request, _ responder: Responder
    ) async throws {
        // Nobody listens behind a head.
        if request.method == .head {
            _ = responder.stream()
            return
        }
        let place = try streamPlace(in: session, for: request)
        // Where the session left memory this moment, it is found anew.
        guard session.openStream() else { throw SessionFailure.evicted }
        do {
            // Without a cursor there is a snapshot, so there is a first answer either way.
            guard let first = try await session.changes(query).value ?? .nothingNew(for: query) else {
                throw SessionFailure.unavailable(.notRead)
            }
            guard let events = responder.stream() else { return session.closeStream() }
            let stream = streamGroups.join(events, of: session, query: query, first: first, place: place)
            responder.onHangUp { _ in stream.isOver() }
            stream.begin(with: first)
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
