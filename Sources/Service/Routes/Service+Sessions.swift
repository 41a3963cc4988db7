import HTTP
import Sessions
import ViewModels

extension Service {
    /// The routes that begin, show, change and end sessions.
    var sessionRoutes: [Route] {
        [
            Route(.post, "/sessions") { [self] in try beginSession(for: $0, $1) },
            Route(.get, "/session") { [self] request, responder in
                try answer(request, responder) { [self] session, _, _ in .later { [self] in try await show(session) } }
            },
            Route(.patch, "/session") { [self] request, responder in
                try answer(request, responder, changing: true) { [self] session, request, _ in
                    guard session.id != .public else { throw ProblemType.publicSession.problem() }
                    let patch = try SessionPatch(request, languages: registry.catalogue.languages)
                    return .later { [self] in
                        guard let language = patch.language else { return try await show(session) }
                        try await session.changeLanguage(to: language)
                        return try await showChanged(session)
                    }
                }
            },
            Route(.delete, "/session") { [self] request, responder in
                try answer(request, responder, changing: true) { [self] session, _, _ in
                    .later { [self] in try await end(session) }
                }
            },
        ]
    }

    private func beginSession(for request: Request, _ responder: Responder) throws {
        // Whatever token came along is not looked at: whoever lost a session must be able to begin another.
        let isProven = try request.single(.authorization, "Authorization").map(Caller.isBearer) ?? false
        let source = crossSiteRule.source(of: request)
        // A page of an allowed origin begins where it has no token yet, and is told it, but given no cookie.
        let hasCookie = source != .allowedOrigin
        if !isProven, hasCookie, let refusal = CrossSiteRule.refusal(of: source) { throw refusal }
        try checkDraining(request)
        if hasCookie { try checkCookie(for: request) }
        try ActionInput.requireNone(in: request)
        try checkRate(of: request)
        let language = AcceptLanguage.preferred(
            in: request.header(.acceptLanguage), of: registry.catalogue.languages)
        answer(request, responder) { [self] in
            try await beginSession(in: language, hasCookie: hasCookie, for: request)
        }
    }

    private func beginSession(
        in language: Language, hasCookie: Bool, for request: Request
    ) async throws -> Response {
        let token: SessionToken
        let session: Session
        do { (token, session) = try await registry.begin(language: language) } catch RegistryFailure.full {
            throw ProblemType.tooManySessions.passing(after: 60)
        } catch SessionFailure.unavailable(let why) {
            // None was begun: whoever comes again once the store is back is not to hear that there were too many.
            if why != .inDoubt, !request.isLocal { newSessions.withLock { $0.giveBack(for: request.client.network) } }
            throw SessionFailure.unavailable(why)
        }
        request.note(session.tag)
        // None of the four has a character that JSON would escape.
        let begun =
            #"{"id":"\#(session.id.publicID)","token":"\#(token.secret)","expiresIn":\#(lifetimeInSeconds),"#
            + #""cursor":"\#(session.cursor)"}"#
        return .json(
            Array(begun.utf8), status: 201,
            headers: [Header(.location, "/session")] + (hasCookie ? [cookie(token.secret)] : []))
    }

    /// Checks that the cookie would be kept: a browser drops one that is for HTTPS alone without a word where the page
    /// came over http, and the page would act on the public session from then on.
    private func checkCookie(for request: Request) throws {
        guard options.hasSecureCookies else { return }
        let scheme = request.header(.origin).flatMap { WebOrigin($0) }?.scheme
        guard scheme != "http", request.forwardedScheme?.lowercased() != "http" else {
            throw ProblemType.httpsRequired.problem()
        }
    }

    private func checkRate(of request: Request) throws {
        guard !request.isLocal else { return }
        let network = request.client.network
        let seconds = newSessions.withLock { $0.take(for: network, at: timeline.now) }
        if let seconds { throw ProblemType.tooManyNewSessions.passing(after: seconds) }
    }

    private func show(_ session: Session) async throws -> Response { response(try await session.views(), of: session) }

    /// A session that was just changed: from what its commit left, so that no later look at the store denies what is done.
    private func showChanged(_ session: Session) async throws -> Response {
        if let known = try session.knownViews() { return response(known, of: session) }
        do { return try await show(session) } catch SessionFailure.unavailable {
            throw SessionFailure.unavailable(.inDoubt)
        }
    }

    private func response(_ shown: Session.Shown, of session: Session) -> Response {
        let (cursor, language, views) = shown
        let viewModels = JSON.object(registry.catalogue.viewModels.map(\.name)) { views[$0].json }
        let head =
            #"{"id":"\#(session.id.publicID)","public":\#(session.id == .public),"cursor":"\#(cursor)","#
            + #""expiresIn":\#(lifetimeInSeconds),"language":"\#(language)","viewModels":"#
        return .json(
            Array(head.utf8) + viewModels + [UInt8(ascii: "}")],
            headers: [Header("Content-Language", language.rawValue)])
    }

    private func end(_ session: Session) async throws -> Response {
        guard session.id != .public else { throw ProblemType.publicSession.problem() }
        try await registry.end(session)
        // No word on the cookie, which may be a newer session's by now; and a page whose session is gone is to hear so, not to
        // find itself in the public one.
        return Response(status: 204, headers: [.noStore])
    }

    /// A session's time begins anew with each use, so it is always the whole time that is left.
    private var lifetimeInSeconds: Int { Int(registry.limits.timeToLive.components.seconds) }

    private func cookie(_ value: String) -> Header {
        let secure = options.hasSecureCookies ? "; Secure" : ""
        return Header(
            .setCookie, "\(options.cookieName.current)=\(value); HttpOnly; SameSite=Lax; Path=/\(secure)")
    }
}

/// What `PATCH /session` is to change: a JSON merge patch (RFC 7396).
struct SessionPatch {
    /// One that is spoken; nil where it is to stay.
    let language: Language?

    /// The members that it may have.
    private struct Body: Codable {
        let language: String?

        private enum CodingKeys: CodingKey { case language }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            // Null would remove it, and a session has one.
            language = members.contains(.language) ? try members.decode(String.self, forKey: .language) : nil
        }
    }

    /// Reads a request's body.
    ///
    /// - Throws: ``Problem``: 400 and 422 as of an action's body, 415.
    init(_ request: Request, languages: Languages) throws {
        let body: [UInt8]
        do { body = try request.jsonBody() } catch var problem as Problem {
            problem.headers.append(Header("Accept-Patch", "application/merge-patch+json, application/json"))
            throw problem
        }
        guard !body.isEmpty else {
            throw ProblemType.malformedJSON.problem(#"Send what is to be changed, as {"language":"en"}."#)
        }
        do {
            let tag = try ActionInput.decode(Body.self, from: body).language
            language = try tag.map { try Self.language($0, of: languages) }
        } catch let refusal as ActionRefusal {
            throw Problem(refusal)
        }
    }

    /// The language that is spoken to whoever asks for a tag.
    private static func language(_ tag: String, of languages: Languages) throws -> Language {
        if let language = Language(tag).flatMap({ languages.lookup($0) }) { return language }
        let spoken = languages.all.map(\.rawValue).joined(separator: ", ")
        throw ActionRefusal(
            .wrongShape, "The member that the pointer names is no language that is spoken here; these are: \(spoken).",
            pointer: "#/language")
    }
}

extension ActionInput {
    /// Checks that a request that takes no body brought none of substance.
    fileprivate static func requireNone(in request: Request) throws {
        do {
            try requireNone(request.jsonBody())
        } catch let refusal as ActionRefusal {
            throw Problem(refusal)
        }
    }
}
