import Entities
import Foundation
import HTTP
import ViewModels

extension Service {
    /// Finds the user of the session that a request begins.
    ///
    /// - Parameter then: receives the user, or nil if the request has no credentials. If the host refuses the
    ///   credentials, the client gets a problem, and nobody calls `then`.
    /// - Throws: ``Problem``: 400, 415 for a body that is not JSON, 429, 503.
    func identify(
        _ request: Request, _ responder: Responder, then: @escaping @Sendable (User?) -> Void
    ) throws(Problem) {
        let forwarded = options.userHeader.flatMap(request.trusted)
        guard let authenticate = options.authenticate else { return then(forwarded.map { User($0) }) }
        // A session's token is no credential for a new session.
        let authorization = try request.single(.authorization).flatMap { field in
            let words = field.split(separator: " ")
            return words.count == 2 && SessionToken(words[1]) != nil ? nil : field
        }
        let body = try request.jsonBody()
        if forwarded == nil, authorization == nil, body.isEmpty { return then(nil) }
        let now = environment.timer.now
        try failedLogins.check(request, at: now, counting: false)
        let credentials = Credentials(authorization: authorization, forwardedUser: forwarded, body: body)
        let task = environment.executor.run { [self] in
            let user: User?
            do { user = try await authenticate(credentials) } catch is MissingCredentials { user = nil } catch {
                return responder.send(Problem(error))
            }
            // The deadline below has sent the answer.
            if Task.isCancelled { return }
            guard let user else {
                try? failedLogins.check(responder.request, at: now)
                return responder.send(ProblemType.loginFailed.problem())
            }
            then(user)
        }
        guard let task else { throw ProblemType.serverBusy.problem(retryAfter: 1) }
        _ = environment.timer.schedule(at: now + limits.actionTime) { [weak responder] in
            // The responder sends only its first answer.
            task.cancel()
            responder?.send(ProblemType.actionTimeout.problem(cause: "the login passed its deadline"))
        }
    }

    /// The routes that list and end the sessions of a user.
    var userRoutes: [Route] {
        [
            sessionRoute(.get, "/sessions") { [self] exchange in
                try sessions(of: exchange) { ids in
                    let entries = ids.map { #"{"id":"\#($0.text)","current":\#($0 == exchange.session.id)}"# }
                    exchange.responder.send(.json(#"{"sessions":[\#(entries.joined(separator: ","))]}"#.utf8))
                }
            },
            sessionRoute(.delete, "/sessions/{id}", isChange: true) { [self] exchange in
                let id = EntityID.session(exchange.request.parameter("id") ?? "")
                try sessions(of: exchange) { [self] ids in
                    guard ids.contains(id) else { throw ProblemType.notFound.problem("The user has no such session.") }
                    registry.find(id) { [self] found in
                        exchange.responder.answering {
                            try found.get().ask(Ask(.end) { [self] in ended($0, exchange.responder) })
                        }
                    }
                }
            },
        ]
    }

    /// Finds the sessions of the caller's user.
    ///
    /// - Throws: ``Problem``, 403, if the caller's session has no user.
    private func sessions(of exchange: Exchange, then: @escaping @Sendable ([EntityID]) throws -> Void) throws {
        guard let user = exchange.user else { throw ProblemType.userRequired.problem() }
        environment.store.sessions(of: user.id, limit: 1_000) { ids in
            exchange.responder.answering {
                guard let ids else { throw ProblemType.storeUnavailable.problem(retryAfter: 1) }
                try then(ids)
            }
        }
    }
}
