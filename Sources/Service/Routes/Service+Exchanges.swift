import Entities
import Events
import HTTP
import ViewModels

/// A request with its session.
struct Exchange: Sendable {
    let responder: Responder
    /// The caller's session.
    let session: Entity
    /// Nil in the public session.
    let token: SessionToken?
    /// The named entity of the request, or the reason why there is none; nil for the session.
    var named: Registry.Found?
    /// Gives the caller's sight of the entity's state; a caller sees all of its session.
    var sightOf: SightOf = { _ in .all }

    /// The user of the caller's session.
    var user: User? { session.published.state.user }
    var request: Request { responder.request }
    /// The entity of the request.
    ///
    /// A handler first reads the request: a malformed request must not show whether a named entity exists.
    var entity: Entity { get throws { try named?.get() ?? session } }
}

/// Gives a caller's sight of a state, or throws ``NoAccess`` if the caller may see nothing.
typealias SightOf = @Sendable (EntityState) throws -> Sight

extension Service {
    /// A route for requests with an allowed host name.
    func route(_ method: Method, _ path: String, _ handle: @escaping Handler) -> Route {
        Route(method, path) { [self] request, responder in
            responder.answering {
                responder.add(fieldsForOrigin(of: request))
                try allowedHosts.check(request)
                try handle(request, responder)
            }
        }
    }

    /// A route on the caller's session.
    ///
    /// - Parameter isChange: whether the request changes something; then other sites must not send it.
    func sessionRoute(
        _ method: Method, _ path: String, isChange: Bool = false,
        _ handle: @escaping @Sendable (Exchange) throws -> Void
    ) -> Route {
        route(method, path) { [self] request, responder in
            let (token, isProven) = try credentials(of: request)
            if token == nil, !options.hasPublicSession { throw ProblemType.sessionRequired.problem() }
            registry.find(token?.entityID ?? .publicSession) { [self] found in
                let request = responder.request
                responder.answering {
                    let session = try found.get()
                    responder.note(SessionTag(of: session.id.text))
                    if let id = try request.single(.binderySession), id != session.id.text {
                        throw ProblemType.sessionChanged.problem()
                    }
                    if isChange {
                        if !isProven, !Self.isOurs(request) { throw ProblemType.crossSite.problem() }
                        try checkDraining(request)
                    }
                    try handle(Exchange(responder: responder, session: session, token: token))
                }
            }
        }
    }

    /// The token of a request; nil for the public session.
    ///
    /// A token in `Authorization: Bearer` (RFC 6750, section 2.1) is proven: no other site can make a browser send it.
    /// A cookie (RFC 6265) is not: the browser adds it by itself.
    ///
    /// - Throws: ``Problem``: 401 if ``SessionToken`` refuses the token, 400 for a repeated field or different cookies.
    private func credentials(of request: Request) throws(Problem) -> (token: SessionToken?, isProven: Bool) {
        if let field = try request.single(.authorization) {
            let words = field.utf8.split(whereSeparator: \.isBlank).map { Substring($0) }
            let scheme = words.count == 2 ? words[0].lowercased() : ""
            if scheme == "bearer", let token = SessionToken(words[1]) { return (token, true) }
            // Browsers and proxies add Basic credentials by themselves.
            guard scheme == "basic" else { throw ProblemType.sessionUnknown.problem() }
        }
        guard let cookies = request.header(.cookie) else { return (nil, false) }
        let start = Array("\(options.cookieName)=".utf8)
        let values = cookies.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0).trimmed.utf8 }
            .filter { $0.starts(with: start) }.map { Substring($0.dropFirst(start.count)) }
        guard let value = values.first else { return (nil, false) }
        guard values.allSatisfy({ $0 == value }) else {
            throw ProblemType.malformedHeader.problem(
                "Cookie has \(options.cookieName) twice, with different values. Delete one.")
        }
        guard let token = SessionToken(value) else { throw ProblemType.sessionUnknown.problem() }
        return (token, false)
    }

    /// A route on the entity that has a view model: the caller's session or a named entity.
    ///
    /// - Parameters:
    ///   - viewModel: nil for all view models of the session.
    ///   - isMaking: whether the request makes the entity.
    func entityRoute(
        _ method: Method, _ path: String, of viewModel: ViewModelDescription?, isChange: Bool = false,
        isMaking: Bool = false, _ handle: @escaping @Sendable (Exchange) throws -> Void
    ) -> Route {
        guard let viewModel, let keys = viewModel.keys else {
            return sessionRoute(method, path, isChange: isChange, handle)
        }
        return sessionRoute(method, path, isChange: isChange) { [self] exchange in
            if exchange.session.published.isEnded { throw ProblemType.sessionUnknown.problem() }
            let key = exchange.request.parameter("key") ?? ""
            let id = EntityID(kind: viewModel.name, text: "\(viewModel.name)/\(key)")
            let then: @Sendable (Registry.Found) -> Void = { [self] found in
                exchange.responder.answering {
                    let user = exchange.user
                    var exchange = exchange
                    exchange.named = found
                    if let host = environment.kinds[id].host as? CatalogueHost {
                        exchange.sightOf = { state in
                            guard let sight = host.sight(of: state, for: user) else { throw NoAccess() }
                            return sight
                        }
                    }
                    try handle(exchange)
                }
            }
            if keys.allows(key) { return registry.find(id, isMaking: isMaking, then: then) }
            if isMaking { throw ProblemType.entityUnknown.problem("A key has 1 to 64 of A-Z, a-z, 0-9, _ and -.") }
            then(.failure(.missing))
        }
    }

    /// The committed state of a done outcome.
    ///
    /// - Throws: ``Problem`` for other outcomes.
    static func state(_ outcome: Outcome) throws(Problem) -> EntityState {
        if case .done(let state) = outcome { return state }
        throw Problem(outcome)
    }
}

extension Responder {
    /// Runs a part of a handler on any thread; if it throws, the answer is the problem of the error.
    func answering(_ body: () throws -> Void) {
        do { try body() } catch { send(Problem(error)) }
    }
}
