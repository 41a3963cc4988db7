import HTTP
import Sessions
import ViewModels

extension Service {
    /// The routes of one view model, derived from its declaration: itself, its facets, its actions.
    func viewModelRoutes(at place: Int) -> [Route] {
        let viewModel = registry.catalogue.viewModels[place]
        let path = "/\(viewModel.name)"
        return [showing(place, facet: nil, at: path)]
            + viewModel.facets.enumerated().map { showing(place, facet: $0, at: "\(path)/\($1.name)") }
            + viewModel.actions.enumerated().map { index, action in
                Route(.post, "\(path)/\(action.name)") { [self] in
                    try performAtHand(index, of: place, for: $0)
                } handler: { [self] in
                    try await perform(index, of: place, for: $0)
                }
            }
    }

    /// What is asked most is answered without a task where the session and its view are at hand.
    private func showing(_ place: Int, facet: Int?, at path: String) -> Route {
        Route(.get, path) { [self] request in
            let view = try failures { try sessionAtHand(of: request)?.viewAtHand(at: place, facet: facet) }
            return try view.map { try response(showing: $0, to: request) }
        } handler: { [self] request in
            let view = try await failures { try await session(of: request).view(at: place, facet: facet) }
            return try response(showing: view, to: request)
        }
    }

    private func response(showing view: View, to request: Request) throws -> Response {
        let condition = try EntityTags(.ifNoneMatch, of: request)
        if condition?.matchWeakly(view.entityTag) == true {
            // The length of what is not sent is told all the same (RFC 9110, section 15.4.5).
            return Response(status: 304, headers: [.noStore, Header(.eTag, view.entityTag)], body: .bytes(view.json))
        }
        return .view(view)
    }

    private func perform(_ action: Int, of place: Int, for request: Request) async throws -> Response {
        let performed = try await failures {
            let session = try await sessionToChange(of: request)
            let condition = try EntityTags(.ifMatch, of: request)
            let once = try once(request, in: session)
            return try await session.perform(action, of: place, body: try request.jsonBody(), once: once) { tag in
                condition?.matchStrongly(tag) ?? true
            }
        }
        return Self.response(performed)
    }

    /// The same without a task, where the action is known to be fast and its turn has come: it is submitted here and now, and
    /// answered by whoever stores it.
    private func performAtHand(_ action: Int, of place: Int, for request: Request) throws -> Response? {
        guard let session = try failures({ try sessionToChangeAtHand(of: request) }) else { return nil }
        let condition = try EntityTags(.ifMatch, of: request)
        let once = try once(request, in: session)
        let submitted: SubmittedAction?
        do {
            submitted = try session.performAtHand(action, of: place, body: try request.jsonBody(), once: once) { tag in
                condition?.matchStrongly(tag) ?? true
            }
        } catch SessionFailure.putAway {
            return nil
        } catch let failure as SessionFailure {
            throw Problem(failure)
        }
        switch submitted {
        case nil: return nil
        case .settled(let result): return try failures { Self.response(try result.get()) }
        case .underWay(let action): return Self.response(toBeStored: action)
        }
    }

    private func once(_ request: Request, in session: Session) throws -> IdempotentRequest? {
        try IdempotentRequest(
            request, in: session.id, token: try Caller(request, cookie: options.cookieName).token)
    }

    private static func response(toBeStored action: ActionUnderWay) -> Response {
        Response(
            body: .later { pending in
                action.whenStored { result in
                    switch result {
                    case .success(let performed): pending.answer(response(performed))
                    case .failure(let failure as SessionFailure): pending.answer(Problem(failure))
                    case .failure(let error): pending.answer(.internal(causedBy: error))
                    }
                }
                // Whether the caller stays or not: what was submitted is stored.
                return {}
            })
    }

    private static func response(_ performed: Performed) -> Response {
        switch performed {
        case .done(let view): .view(view)
        case .remembered(let outcome, let isReplay): Response(outcome, isReplay: isReplay)
        }
    }

    /// Tells the caller of a session's failure.
    func failures<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as SessionFailure { throw Problem(failure) }
    }

    /// Tells the caller of a session's failure.
    ///
    /// - Parameter body: finds the session and asks it; called again where the session left memory in between.
    func failures<Result>(_ body: () async throws -> Result) async throws -> Result {
        for _ in 0..<3 {
            do { return try await body() } catch SessionFailure.putAway {
                continue
            } catch let failure as SessionFailure {
                throw Problem(failure)
            }
        }
        throw Problem(SessionFailure.putAway)
    }
}
