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
                Route(.post, "\(path)/\(action.name)") { [self] request in
                    try performAtHand(index, of: place, for: request)
                        ?? awaiting(request) { [self] in try await perform(index, of: place, for: request) }
                }
            }
    }

    /// What is asked most is answered without a task where the session and its view are at hand.
    private func showing(_ place: Int, facet: Int?, at path: String) -> Route {
        Route(.get, path) { [self] request in
            let view = try atHand { try sessionAtHand(of: request)?.viewAtHand(at: place, facet: facet) }
            if let view { return try response(showing: view, to: request) }
            return awaiting(request) { [self] in
                let view = try await session(of: request).view(at: place, facet: facet)
                return try response(showing: view, to: request)
            }
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
        let session = try await sessionToChange(of: request)
        let condition = try EntityTags(.ifMatch, of: request)
        let once = try IdempotentRequest(request)
        return Self.response(
            try await session.perform(action, of: place, body: try request.jsonBody(), once: once) { tag in
                condition?.matchStrongly(tag) ?? true
            })
    }

    /// The same without a task, where the action is known to be fast and its turn has come: it is submitted here and now, and
    /// answered by whoever stores it.
    private func performAtHand(_ action: Int, of place: Int, for request: Request) throws -> Response? {
        try atHand {
            guard let session = try sessionToChangeAtHand(of: request) else { return nil }
            let condition = try EntityTags(.ifMatch, of: request)
            let once = try IdempotentRequest(request)
            let submitted = try session.performAtHand(
                action, of: place, body: try request.jsonBody(), once: once
            ) { tag in condition?.matchStrongly(tag) ?? true }
            switch submitted {
            case nil: return nil
            case .settled(.success(let performed)): return Self.response(performed)
            // Not thrown as it is: what has run is not to be run again.
            case .settled(.failure(let failure as SessionFailure)): throw Problem(failure)
            case .settled(.failure(let error)): throw error
            case .underWay(let action): return Self.response(toBeStored: action)
            }
        }
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
                return { _ in }
            })
    }

    private static func response(_ performed: Performed) -> Response {
        switch performed {
        case .done(let view): .view(view)
        case .remembered(let outcome, let isReplay): Response(outcome, isReplay: isReplay)
        }
    }

    /// What can be answered without waiting: nil where it cannot, also where the session left memory this moment.
    ///
    /// Tells the caller of a session's failure.
    func atHand<Result>(_ body: () throws -> Result?) throws -> Result? {
        do { return try body() } catch SessionFailure.putAway { return nil } catch let failure as SessionFailure {
            throw Problem(failure)
        }
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
