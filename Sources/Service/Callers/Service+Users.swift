import Entities
import Foundation
import HTTP
import ViewModels

extension Service {
    /// Finds out to whom a session shall belong that a request begins.
    ///
    /// - Parameter then: called at once for a request without credentials, with nil; else after the host's answer. Not
    ///   called where the credentials are not accepted.
    /// - Throws: ``Problem``: 429, and 415 for a body that is not JSON.
    func identify(
        _ request: Request, _ responder: Responder, then: @escaping @Sendable (User?) -> Void
    ) throws(Problem) {
        let forwarded = options.userHeader.flatMap(request.trusted)
        guard let authenticate = options.authenticate else { return then(forwarded.map { User($0) }) }
        // A session's own token says nothing here.
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
            // The deadline has answered.
            if Task.isCancelled { return }
            guard let user else {
                try? failedLogins.check(responder.request, at: now)
                return responder.send(ProblemType.loginFailed.problem())
            }
            then(user)
        }
        guard let task else { throw ProblemType.serverBusy.problem(retryAfter: 1) }
        _ = environment.timer.schedule(at: now + limits.actionTime) { [weak responder] in
            // Of two answers, the first one counts.
            task.cancel()
            responder?.send(ProblemType.actionTimeout.problem(cause: "the login passed its deadline"))
        }
    }

    /// The routes by which a user lists and ends sessions.
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
    /// - Throws: ``Problem``, 403, for a session of nobody.
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
