import Entities
import Events
import HTTP
import ViewModels

/// A request whose session and entity are found.
struct Exchange: Sendable {
    let responder: Responder
    /// The caller's session.
    let session: Entity
    /// Nil in the public session.
    let token: SessionToken?
    /// The named entity of which the request speaks; nil for the session.
    var named: Entity?
    /// What the caller may see of the entity's state; of a session, all.
    var eyes: Eyes = { _ in .all }

    /// Whom the caller's session belongs to.
    var user: User? { session.published.state.user }
    var request: Request { responder.request }
    var entity: Entity { named ?? session }
}

/// What a caller may see of a state; nil for nothing.
typealias Eyes = @Sendable (EntityState) -> Sight?

extension Service {
    /// A route for all clients that ask under an allowed name.
    func route(_ method: Method, _ path: String, _ handle: @escaping Handler) -> Route {
        Route(method, path) { [self] request, responder in
            try admit(request, responder)
            try handle(request, responder)
        }
    }

    /// - Throws: ``Problem``, 421, for a name that is not allowed.
    private func admit(_ request: Request, _ responder: Responder) throws(Problem) {
        if !options.allowedOrigins.isEmpty, let origin = allowedOrigin(of: request) {
            responder.add(Self.readable(by: origin))
        }
        try allowedHosts.check(request)
    }

    /// A route that speaks of the caller's session.
    ///
    /// - Parameter isChange: whether the request changes something, so that other sites must not send it.
    func sessionRoute(
        _ method: Method, _ path: String, isChange: Bool = false,
        _ handle: @escaping @Sendable (Exchange) throws -> Void
    ) -> Route {
        Route(method, path) { [self] request, responder in
            try admit(request, responder)
            let (token, isProven) = try credentials(of: request)
            if token == nil, !options.hasPublicSession { throw ProblemType.sessionRequired.problem() }
            registry.find(token?.entityID ?? .publicSession) { [self] found in
                let request = responder.request
                responder.answering {
                    let session = try Self.entity(found)
                    responder.note(SessionTag(of: session.id.text))
                    if let id = try request.single(.binderySession), id != session.id.text {
                        throw ProblemType.sessionChanged.problem()
                    }
                    if isChange {
                        if !isProven { try checkSource(of: request) }
                        try checkDraining(request)
                    }
                    try handle(Exchange(responder: responder, session: session, token: token))
                }
            }
        }
    }

    /// The token of a request; nil for the public session.
    ///
    /// It is proven if no other site can make a browser send it: it comes from `Authorization: Bearer` (RFC 6750, section 2.1).
    /// A cookie (RFC 6265) is added by the browser itself.
    ///
    /// - Throws: ``Problem``: 401 for a token that ``SessionToken`` refuses, 400 for a field or cookie that is there twice.
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

    /// A route that speaks of the entity that holds a view model: the caller's session, or a named entity.
    ///
    /// - Parameters:
    ///   - viewModel: nil for all view models of the session.
    ///   - isMaking: whether the request makes the entity.
    ///   - read: reads the request, before it is known whether the entity exists: a malformed one must not tell it.
    func entityRoute<Asked: Sendable>(
        _ method: Method, _ path: String, of viewModel: ViewModelDescription?, isChange: Bool = false,
        isMaking: Bool = false, reading read: @escaping @Sendable (Request) throws -> Asked,
        _ handle: @escaping @Sendable (Exchange, Asked) throws -> Void
    ) -> Route {
        guard let viewModel, let keys = viewModel.keys else {
            return sessionRoute(method, path, isChange: isChange) { try handle($0, read($0.request)) }
        }
        return sessionRoute(method, path, isChange: isChange) { [self] exchange in
            if exchange.entity.published.isEnded { throw ProblemType.sessionUnknown.problem() }
            let asked = try read(exchange.request)
            guard let key = exchange.request.parameter("key"), keys.allows(key) else {
                throw ProblemType.entityUnknown.problem(
                    keys.names == nil ? "A key has 1 to 64 of A-Z, a-z, 0-9, _ and -." : nil)
            }
            let id = EntityID(kind: viewModel.name, text: "\(viewModel.name)/\(key)")
            registry.find(id, isMaking: isMaking) { [self] found in
                exchange.responder.answering {
                    let user = exchange.user
                    var exchange = exchange
                    exchange.named = try Self.entity(found)
                    if let host = environment.kinds[id].host as? CatalogueHost {
                        exchange.eyes = { host.sight(of: $0, for: user) }
                    }
                    try handle(exchange, asked)
                }
            }
        }
    }

    /// - Throws: ``Problem``, where the registry has none.
    static func entity(_ found: Registry.Found) throws(Problem) -> Entity {
        do { return try found.get() } catch { throw Problem(.unavailable(error)) }
    }

    /// The committed state of an outcome that is done.
    ///
    /// - Throws: ``Problem``.
    static func state(_ outcome: Outcome) throws(Problem) -> EntityState {
        if case .done(let state) = outcome { return state }
        throw Problem(outcome)
    }
}

extension Responder {
    /// Runs a part of a handler, on any thread; a thrown error is the answer.
    func answering(_ body: () throws -> Void) {
        do { try body() } catch { send(error) }
    }
}

extension EntityState {
    /// What a caller may see of this state.
    ///
    /// - Throws: ``Problem``, 404, for nothing.
    func sight(of eyes: Eyes) throws(Problem) -> Sight {
        guard let sight = eyes(self) else { throw ProblemType.entityUnknown.problem() }
        return sight
    }

    /// The outputs of a view model as JSON.
    ///
    /// - Throws: ``Problem``, 500, where this build cannot read it.
    func readableBody(of index: Int, facet: String?) throws(Problem) -> [UInt8] {
        do { return try body(of: index, facet: facet) } catch { throw Problem(error) }
    }
}
