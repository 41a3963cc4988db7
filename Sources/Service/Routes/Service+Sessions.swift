import Entities
import Events
import HTTP
import ViewModels

extension Service {
    /// The routes that begin, show, change and end sessions.
    var sessionRoutes: [Route] {
        [
            route(.post, "/sessions") { [self] in try beginSession(for: $0, $1) },
            sessionRoute(.get, "/session") { [self] exchange in
                exchange.entity.view { [self] in show($0, to: exchange) }
            },
            sessionRoute(.patch, "/session", isChange: true) { [self] exchange in
                try checkPrivate(exchange)
                guard let language = try patchedLanguage(exchange.request) else {
                    return exchange.entity.view { [self] in show($0, to: exchange) }
                }
                let initial = environment.kinds.session[language.rawValue]
                exchange.entity.ask(Ask(.language(initial)) { [self] in show($0, to: exchange) })
            },
            sessionRoute(.delete, "/session", isChange: true) { [self] exchange in
                try checkPrivate(exchange)
                exchange.entity.ask(Ask(.end) { [self] in ended($0, exchange.responder) })
            },
        ]
    }

    /// Answers a request that ends a session.
    func ended(_ outcome: Outcome, _ responder: Responder) {
        responder.answering {
            _ = try Self.state(outcome)
            // The cookie stays: it may be a newer session's by now.
            responder.send(Response(status: 204, headers: [.noStore]))
        }
    }

    private func checkPrivate(_ exchange: Exchange) throws(Problem) {
        if exchange.token == nil { throw ProblemType.publicSession.problem() }
    }

    // MARK: Beginning

    private func beginSession(for request: Request, _ responder: Responder) throws {
        // A token that came along says nothing: a client that lost its session must be able to begin another one.
        let isProven = request.header(.authorization)?.lowercased().hasPrefix("bearer ") == true
        // A page of an allowed origin gets the token alone: it has no cookies here.
        let hasCookie = Self.isOurs(request) || allowedOrigin(of: request) == nil
        if hasCookie, !isProven { try checkSource(of: request) }
        try checkDraining(request)
        if !request.isLocal {
            let now = environment.timer.now
            if let seconds = newSessions.withLock({ $0.take(for: request.client.network, at: now) }) {
                throw ProblemType.tooManyNewSessions.problem(retryAfter: seconds)
            }
        }
        try identify(request, responder) { [self] user in
            let language = languages.preferred(by: request.header(.acceptLanguage))
            registry.begin(language: language.rawValue, user: user) { [self] token, found in
                responder.answering {
                    let session = try Self.entity(found)
                    responder.note(SessionTag(of: session.id.text))
                    // None of the four has a character that JSON escapes.
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
            let id = exchange.entity.id
            let viewModels = try catalogue.sessionViewModels.enumerated().map { index, viewModel in
                let outputs = try state.readableBody(of: index, facet: nil)
                return "\"\(viewModel.name)\":\(String(decoding: outputs, as: UTF8.self))"
            }
            let body =
                #"{"id":"\#(id.text)","public":\#(exchange.token == nil),"cursor":"\#(state.cursor)","#
                + #""expiresIn":\#(secondsToLive),"language":"\#(state.language)","#
                + #""viewModels":{\#(viewModels.joined(separator: ","))}}"#
            exchange.responder.send(.json(body.utf8))
        }
    }

    /// The language that a `PATCH` sets (RFC 7396); nil where it sets none.
    ///
    /// - Throws: ``Problem``: 415, 400 for malformed JSON, 422 for another value than a known language.
    private func patchedLanguage(_ request: Request) throws(Problem) -> Language? {
        let types = ["application/merge-patch+json", "application/json"]
        guard types.contains(request.mediaType) else {
            throw ProblemType.notJson.problem(
                "Send a JSON merge patch as \(types[0]) or \(types[1]).",
                headers: [Header("Accept-Patch", types.joined(separator: ", "))])
        }
        let body = try request.jsonBody()
        do {
            let patch = try JSON.decode([String: String].self, from: body)
            if let other = patch.keys.first(where: { $0 != "language" }) {
                throw InputFault(path: [other], "is unknown; known members: language")
            }
            guard let tag = patch["language"] else { return nil }
            if let language = Language(tag).flatMap(languages.lookup) { return language }
            let known = languages.all.map(\.rawValue).joined(separator: ", ")
            throw InputFault(path: ["language"], "must be one of \(known)")
        } catch { throw Problem(error) }
    }
}

/// Limits what each client network may do in a minute of the clock.
struct RateLimit: Sendable {
    private let limit: Int
    private var minute = 0
    private var counts: [IPAddress: Int] = [:]

    init(perMinute limit: Int) { self.limit = limit }

    /// Counts one; returns the seconds until the next minute if the network has too many, else nil.
    mutating func take(for network: IPAddress, at now: Duration) -> Int? {
        let wait = wait(for: network, at: now)
        counts[network, default: 0] += 1
        return wait
    }

    /// The seconds until the next minute if the network has as many as it may have, else nil.
    mutating func wait(for network: IPAddress, at now: Duration) -> Int? {
        let seconds = Int(now.components.seconds)
        if seconds / 60 != minute { (minute, counts) = (seconds / 60, [:]) }
        return counts[network, default: 0] >= limit ? 60 - seconds % 60 : nil
    }
}
