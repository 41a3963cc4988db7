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
                let id = ActionID(index, of: place)
                return Route(.post, "\(path)/\(action.name)") { [self] request in
                    try atHand { try sessionToChangeAtHand(of: request).map { try act(id, in: $0, for: request) } }
                        ?? awaiting(request) { [self] in
                            try act(id, in: try await sessionToChange(of: request), for: request)
                        }
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

    /// Asks for an action, which is answered here and now where it is over already, else by whoever stores it.
    ///
    /// - Throws: ``SessionFailure/evicted`` where the session has to be found anew.
    private func act(
        _ action: ActionID, in session: Session, for request: Request
    ) throws -> Response {
        let condition = try EntityTags(.ifMatch, of: request)
        let once = try IdempotentRequest(
            request, in: session.id, token: try Caller(request, cookie: options.cookieName).token)
        let requested = session.ask(for: action, body: try request.jsonBody(), once: once) { tag in
            condition?.matchStrongly(tag) ?? true
        }
        if let result = requested.result {
            do { return Self.response(try result.get()) } catch let failure as SessionFailure { throw failure } catch {
                throw Self.problem(error, isKept: once != nil)
            }
        }
        return Response(
            body: .later { [self] pending in
                requested.whenDone { [self] result in
                    switch result {
                    case .success(let performed): pending.answer(Self.response(performed))
                    case .failure(SessionFailure.evicted):
                        pending.answer(
                            awaiting(request) { [self] in
                                try act(action, in: try await sessionToChange(of: request), for: request)
                            })
                    case .failure(let failure as SessionFailure):
                        let problem = Self.problem(failure, isKept: once != nil)
                        noteBound(problem, of: request)
                        pending.answer(problem)
                    case .failure(let error): pending.answer(Self.problem(error, isKept: once != nil))
                    }
                }
                // Whoever only closed his half reads the answer; what has begun is done whether the caller stays or not.
                return { if case .gone = $0 { requested.callOff() } }
            })
    }

    /// - Parameter isKept: whether the request has a key that stands for the answer.
    private static func problem(_ error: any Error, isKept: Bool) -> Problem {
        if isKept { return Problem(underKey: error) }
        return (error as? SessionFailure).map { Problem($0) } ?? .internal(causedBy: error)
    }

    private static func response(_ performed: ActionResult) -> Response {
        switch performed {
        case .done(let view): .view(view)
        case .remembered(let outcome, let isReplay): Response(outcome, isReplay: isReplay)
        }
    }

    /// What can be answered without waiting: nil where it cannot, also where the session left memory this moment.
    ///
    /// Tells the caller of a session's failure.
    func atHand<Result>(_ body: () throws -> Result?) throws -> Result? {
        do { return try body() } catch SessionFailure.evicted { return nil } catch let failure as SessionFailure {
            throw Problem(failure)
        }
    }

    /// Tells the caller of a session's failure.
    ///
    /// - Parameter body: finds the session and asks it; called again where the session left memory in between.
    func failures<Result>(_ body: () async throws -> Result) async throws -> Result {
        for _ in 0..<3 {
            do { return try await body() } catch SessionFailure.evicted {
                continue
            } catch let failure as SessionFailure {
                throw Problem(failure)
            }
        }
        throw Problem(SessionFailure.evicted)
    }
}

/// A view model is named as a path of the server's own.
public struct ReservedName: Error, Sendable, Equatable, CustomStringConvertible {
    /// The view model's name.
    public let viewModel: Name
    /// The names that no view model may have.
    public let reserved: [String]

    /// One line for a terminal.
    public var description: String {
        "a view model cannot be named \(viewModel): \(reserved.joined(separator: ", ")) are paths of the server itself"
    }
}

extension Service {
    /// What is wrong with the catalogue's names; nil for nothing.
    var reservedName: ReservedName? {
        let own = aroundRoutes + sessionRoutes + [changesRoute] + probeRoutes
        let reserved = Set(own.compactMap { $0.template.split(separator: "/").first.map(String.init) })
        return registry.catalogue.viewModels.first { reserved.contains($0.name.rawValue) }.map {
            ReservedName(viewModel: $0.name, reserved: reserved.sorted())
        }
    }
}
