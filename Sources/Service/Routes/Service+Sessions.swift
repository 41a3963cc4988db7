import Entities
import Events
import HTTP
import Locking
import ViewModels

extension Service {
    /// The routes that begin, show, change and end sessions.
    var sessionRoutes: [Route] {
        [
            route(.post, "/sessions") { [self] in try beginSession(for: $0, $1) },
            sessionRoute(.get, "/session") { [self] exchange in
                exchange.session.view { [self] in show($0, to: exchange) }
            },
            sessionRoute(.patch, "/session", isChange: true) { [self] exchange in
                if exchange.token == nil { throw ProblemType.publicSession.problem() }
                guard let language = try patchedLanguage(exchange.request) else {
                    return exchange.session.view { [self] in show($0, to: exchange) }
                }
                let initial = environment.kinds.session[language.rawValue]
                exchange.session.ask(Ask(.language(initial)) { [self] in show($0, to: exchange) })
            },
            sessionRoute(.delete, "/session", isChange: true) { [self] exchange in
                if exchange.token == nil { throw ProblemType.publicSession.problem() }
                exchange.session.ask(Ask(.end) { [self] in ended($0, exchange.responder) })
            },
        ]
    }

    /// Answers a request that ends a session.
    func ended(_ outcome: Outcome, _ responder: Responder) {
        responder.answering {
            _ = try Self.state(outcome)
            // Keep the cookie: it may belong to a newer session now.
            responder.send(Response(status: 204, headers: [.noStore]))
        }
    }

    // MARK: Beginning

    private func beginSession(for request: Request, _ responder: Responder) throws {
        // Do not check a token: a client whose session has ended must be able to begin another one.
        let isProven = request.header(.authorization)?.lowercased().hasPrefix("bearer ") == true
        // A page of an allowed origin gets only the token: CORS sends no cookies here.
        let isOurs = Self.isOurs(request)
        let hasCookie = isOurs || fieldsForOrigin(of: request).isEmpty
        if hasCookie, !isOurs, !isProven { throw ProblemType.crossSite.problem() }
        try checkDraining(request)
        try newSessions.check(request, at: environment.timer.now)
        try identify(request, responder) { [self] user in
            let language = languages.preferred(by: request.header(.acceptLanguage))
            registry.begin(language: language.rawValue, user: user) { [self] token, found in
                responder.answering {
                    let session = try found.get()
                    responder.note(SessionTag(of: session.id.text))
                    // The four values have no character that JSON escapes.
                    let body =
                        #"{"id":"\#(session.id.text)","token":"\#(token.secret)","expiresIn":\#(secondsToLive),"#
                        + #""cursor":"\#(session.published.state.cursor)"}"#
                    let headers = [Header("Location", "/session")] + (hasCookie ? [cookie(token)] : [])
                    responder.send(.json(body.utf8, status: 201, headers: headers))
                }
            }
        }
    }

    private func cookie(_ token: SessionToken) -> Header {
        let secure = options.hasSecureCookies ? "; Secure" : ""
        return Header("Set-Cookie", "\(options.cookieName)=\(token.secret); HttpOnly; SameSite=Lax; Path=/\(secure)")
    }

    private var secondsToLive: Int64 { limits.timeToLive.components.seconds }

    // MARK: Showing and changing

    private func show(_ outcome: Outcome, to exchange: Exchange) {
        exchange.responder.answering {
            let state = try Self.state(outcome)
            let id = exchange.session.id
            let viewModels = try catalogue.sessionViewModels.enumerated().map { index, viewModel in
                let outputs = try state.body(of: index)
                return "\"\(viewModel.name)\":\(String(decoding: outputs, as: UTF8.self))"
            }
            let user = state.user.map { #""user":{"id":\#($0.id.quoted),"roles":\#($0.roles.sorted().quoted)},"# }
            let body =
                #"{"id":"\#(id.text)","public":\#(exchange.token == nil),"cursor":"\#(state.cursor)","#
                + #""expiresIn":\#(secondsToLive),"language":"\#(state.language)",\#(user ?? "")"#
                + #""viewModels":{\#(viewModels.joined(separator: ","))}}"#
            exchange.responder.send(.json(body.utf8))
        }
    }

    /// The language that a `PATCH` sets (RFC 7396); nil if it sets none.
    ///
    /// - Throws: ``Problem``, 415; ``InputFault`` for malformed JSON and for an unknown language.
    private func patchedLanguage(_ request: Request) throws -> Language? {
        let types = ["application/merge-patch+json", "application/json"]
        guard types.contains(request.mediaType) else {
            throw ProblemType.notJson.problem(
                "Send a JSON merge patch as \(types[0]) or \(types[1]).",
                headers: [Header("Accept-Patch", types.joined(separator: ", "))])
        }
        let patch = try JSONValue(parsing: request.jsonBody(), isBody: true)
        try JSONSchema.object([.init("language", .string, isRequired: false)]).check(patch)
        guard case .object(let members) = patch, case .string(let tag)? = members["language"] else { return nil }
        if let language = Language(tag).flatMap(languages.lookup) { return language }
        let known = languages.all.map(\.rawValue).joined(separator: ", ")
        throw InputFault(path: ["language"], "must be one of \(known)")
    }
}

/// Limits how often each client network may do something in a minute of the clock; this machine has no limit.
final class RateLimit: Sendable {
    private let limit: Int
    private let problem: ProblemType
    private let counts = Lock((minute: 0, networks: [IPAddress: Int]()))

    init(perMinute limit: Int, else problem: ProblemType) { (self.limit, self.problem) = (limit, problem) }

    /// Checks the limit for the network of a request, and counts one more if `isCounted`.
    ///
    /// - Throws: ``Problem``, 429 until the next minute, if the network has reached the limit.
    func check(_ request: Request, at now: Duration, counting isCounted: Bool = true) throws(Problem) {
        if request.isLocal { return }
        let (minute, second) = Int(now.components.seconds).quotientAndRemainder(dividingBy: 60)
        let network = request.client.network
        let isFree = counts.withLock { counts in
            if counts.minute != minute { counts = (minute, [:]) }
            defer { if isCounted { counts.networks[network, default: 0] += 1 } }
            return counts.networks[network, default: 0] < limit
        }
        if !isFree { throw problem.problem(retryAfter: 60 - second) }
    }
}
