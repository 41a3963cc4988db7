import Entities
import Events
import HTTP
import ViewModels

/// The session for which a request speaks, by its credentials.
struct Caller {
    /// The token; nil in the public session.
    let token: SessionToken?
    /// Whether no other site can make a browser send the request: the token is that of `Authorization: Bearer`.
    ///
    /// See RFC 6750, section 2.1. A cookie (RFC 6265) is added by the browser itself.
    let isProven: Bool

    /// Reads the credentials of a request.
    ///
    /// - Throws: ``Problem``: 401 for a token that ``SessionToken`` refuses, 400 for a field or cookie that is there twice.
    init(_ request: Request, cookie name: String) throws(Problem) {
        if let field = try request.single(.authorization, "Authorization"), let token = try Self.token(in: field) {
            (self.token, isProven) = (token, true)
        } else {
            isProven = false
            token = if let cookies = request.header(.cookie) { try Self.token(of: name, in: cookies) } else { nil }
        }
    }

    /// The token of Bearer credentials; nil for Basic ones, which browsers and proxies add by themselves.
    private static func token(in credentials: String) throws(Problem) -> SessionToken? {
        let words = credentials.utf8.split(whereSeparator: \.isBlank).map { Substring($0) }
        let scheme = words.count == 2 ? words[0].lowercased() : ""
        if scheme == "basic" { return nil }
        guard scheme == "bearer", let token = SessionToken(words[1]) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }

    /// The token in the session's cookie; nil where there is no such cookie.
    private static func token(of name: String, in cookies: String) throws(Problem) -> SessionToken? {
        let start = Array("\(name)=".utf8)
        let values = cookies.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0).trimmed.utf8 }
            .filter { $0.starts(with: start) }.map { Substring($0.dropFirst(start.count)) }
        guard let value = values.first else { return nil }
        guard values.allSatisfy({ $0 == value }) else {
            throw ProblemType.malformedHeader.problem("Cookie has \(name) twice, with different values. Delete one.")
        }
        guard let token = SessionToken(value) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }
}

/// A request whose session and entity are found.
struct Exchange: Sendable {
    let responder: Responder
    /// The caller's session.
    let session: Entity
    /// Nil in the public session.
    let token: SessionToken?
    /// The named entity of which the request speaks; nil for the session.
    var named: Entity?

    /// Whom the caller's session belongs to.
    var user: User? { token == nil ? nil : session.published.state.user.map(User.init) }
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

    /// - Throws: ``Problem``: 421 for a name that is not allowed, 400 for malformed fields of a proxy.
    private func admit(_ request: Request, _ responder: Responder) throws(Problem) {
        if !options.allowedOrigins.isEmpty, let origin = allowedOrigin(of: request) {
            responder.add(Self.readable(by: origin))
        }
        guard !request.isForwardedMalformed else {
            throw ProblemType.malformedHeader.problem(
                "The proxy sent X-Forwarded-Host or -Proto twice, or two words in it. Let it set the field.")
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
            let caller = try Caller(request, cookie: options.cookieName)
            if caller.token == nil, !options.hasPublicSession { throw ProblemType.sessionRequired.problem() }
            registry.find(caller.token?.entityID ?? .publicSession) { [self] found in
                let request = responder.request
                responder.answering {
                    let session = try Self.entity(found)
                    request.note(SessionTag(of: session.id.text))
                    if let id = try request.single(.binderySession, "Bindery-Session"), id != session.id.text {
                        throw ProblemType.sessionChanged.problem()
                    }
                    if isChange { try checkChange(by: request, of: caller) }
                    try handle(Exchange(responder: responder, session: session, token: caller.token))
                }
            }
        }
    }

    /// A route that speaks of the entity that holds a view model: the caller's session, or a named entity.
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
            if exchange.entity.published.isEnded { throw ProblemType.sessionUnknown.problem() }
            guard let key = exchange.request.parameter("key"), keys.allows(key) else {
                throw ProblemType.entityUnknown.problem()
            }
            let id = EntityID(kind: viewModel.name, text: "\(viewModel.name)/\(key)")
            registry.find(id, isMaking: isMaking) { found in
                exchange.responder.answering {
                    var exchange = exchange
                    exchange.named = try Self.entity(found)
                    try handle(exchange)
                }
            }
        }
    }

    /// Finds what the caller may see of a state; nil for a session, whose caller may see all.
    func eyes(of exchange: Exchange) -> Eyes? {
        guard let named = exchange.named, let host = environment.kinds[named.id].host as? CatalogueHost else {
            return nil
        }
        let user = exchange.user
        return { host.sight(of: $0, for: user) }
    }

    /// - Throws: ``Problem``, where the registry has none.
    static func entity(_ found: Registry.Found) throws(Problem) -> Entity {
        switch found {
        case .entity(let entity): return entity
        case .unavailable(let reason): throw Problem(.unavailable(reason, retryAfter: 2))
        }
    }

    /// - Throws: ``Problem``: 403 for a change by another site, 503 for one that came after the drain began.
    private func checkChange(by request: Request, of caller: Caller) throws(Problem) {
        if !caller.isProven { try checkSource(of: request) }
        try checkDraining(request)
    }

    /// - Throws: ``Problem``, 503, for a request that came after the drain began.
    func checkDraining(_ request: Request) throws(Problem) {
        if isTooLate(request) { throw ProblemType.draining.problem(retryAfter: .random(in: 1...5)) }
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
    func sight(of eyes: Eyes?) throws(Problem) -> Sight {
        guard let eyes else { return .all }
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
