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
                let question = acting(ActionID(index, of: place))
                return Route(.post, "\(path)/\(action.name)") { [self] in
                    try answer($0, $1, changing: true, by: question)
                }
            }
    }

    private func showing(_ place: Int, facet: Int?, at path: String) -> Route {
        let question: Question = { [self] session, request, _ in
            switch try session.view(at: place, facet: facet) {
            case .now(let view): .now(try response(showing: view, to: request))
            case .later(let find): .later { [self] in try response(showing: try await find(), to: request) }
            }
        }
        return Route(.get, path) { [self] in try answer($0, $1, by: question) }
    }

    private func response(showing view: View, to request: Request) throws -> Response {
        let condition = try EntityTags(.ifNoneMatch, of: request)
        if condition?.matchWeakly(view.entityTag) == true {
            return Response(status: 304, headers: [.noStore, Header(.eTag, view.entityTag)])
        }
        return Response(
            body: .shared(
                view.rendition {
                    SharedBody(view.json, headers: [.json, .noStore, Header(.eTag, view.entityTag)])
                }))
    }

    private func acting(_ action: ActionID) -> Question {
        { [self] session, request, responder in .now(try act(action, in: session, for: request, responder)) }
    }

    /// Asks for an action.
    ///
    /// Nil: the store's thread answers when the action is over.
    ///
    /// - Throws: ``SessionFailure/evicted`` where the session has to be found anew; ``Problem``.
    private func act(
        _ action: ActionID, in session: Session, for request: Request, _ responder: Responder
    ) throws -> Response? {
        let condition = try EntityTags(.ifMatch, of: request)
        let once = try IdempotentRequest(
            request, in: session.id, token: try Caller(request, cookie: options.cookieName).token,
            wording: options.wording)
        let requested = session.ask(for: action, body: try request.jsonBody(), once: once) { tag in
            condition?.matchStrongly(tag) ?? true
        }
        switch requested.result {
        case .success(let performed)?: return Self.response(performed)
        case .failure(SessionFailure.evicted)?: throw SessionFailure.evicted
        case .failure(let error)?: throw Self.problem(error, isKept: once != nil)
        case nil: break
        }
        requested.whenDone { [self] result in
            do {
                do { responder.send(Self.response(try result.get())) } catch SessionFailure.evicted {
                    try answer(request, responder, changing: true, by: acting(action))
                }
            } catch {
                let problem = Self.problem(error, isKept: once != nil)
                noteBound(problem, of: request)
                responder.send(problem)
            }
        }
        // A client that leaves does not stop its action: it may have closed only its sending side.
        responder.onHangUp { if case .stopping = $0 { requested.callOff() } }
        return nil
    }

    /// - Parameter isKept: whether the request has a key that stands for the answer.
    private static func problem(_ error: any Error, isKept: Bool) -> Problem {
        var problem = isKept ? Problem(underKey: error) : .of(error)
        if case SessionFailure.unavailable = error {
            problem.detail += " The action may have been begun: what it did outside of this server is done then."
        }
        return problem
    }

    private static func response(_ performed: ActionResult) -> Response {
        switch performed {
        case .done(let view): .view(view)
        case .remembered(let outcome, let isReplay): Response(outcome, isReplay: isReplay)
        }
    }
}
