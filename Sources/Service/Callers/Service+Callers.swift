import HTTP
import Sessions

extension Service {
    /// What a request asks of its session.
    typealias Question = @Sendable (Session, Request) throws -> Eventual<Response>

    /// Answers a request by what its session says: here and now where that is at hand.
    ///
    /// - Parameters:
    ///   - isChange: whether the request changes something.
    ///   - ask: asked again where the session left memory in between.
    /// - Throws: ``Problem``: 401 for a token that is unknown, and for none where one is needed, and where it is another
    ///   session than `Bindery-Session` names; of a change 403 for a request of another site, and 503 while draining. A
    ///   token that is not good never falls back to the public session.
    func answer(
        _ request: Request, changing isChange: Bool = false, by ask: @escaping Question
    ) throws -> Response {
        let first: Eventual<Response>
        do {
            first = try put(ask, by: request, isChange)
        } catch SessionFailure.evicted {
            first = .later { throw SessionFailure.evicted }
        } catch let failure as SessionFailure {
            throw Problem(failure)
        }
        switch first {
        case .now(let response): return response
        case .later(let answer):
            return awaiting(request) { [self] in
                do { return try await answer() } catch SessionFailure.evicted {}
                do { return try await put(ask, by: request, isChange).value } catch SessionFailure.evicted {}
                return try await put(ask, by: request, isChange).value
            }
        }
    }

    private func put(_ ask: @escaping Question, by request: Request, _ isChange: Bool) throws -> Eventual<Response> {
        let caller = try Caller(request, cookie: options.cookieName)
        switch try session(of: caller) {
        case .now(let session):
            try check(session, of: caller, for: request, isChange)
            return try ask(session, request)
        case .later(let find):
            return .later { [self] in
                let session = try await find()
                try check(session, of: caller, for: request, isChange)
                return try await ask(session, request).value
            }
        }
    }

    private func session(of caller: Caller) throws -> Eventual<Session> {
        switch caller {
        case .bearer(let token), .cookie(let token):
            return try registry.session(for: token).map { session in
                guard let session else { throw ProblemType.sessionUnknown.problem() }
                return session
            }
        case .earlierCookie(let token):
            return try registry.session(for: token).then { [self] session in
                try session.map { .now($0) } ?? self.session(of: .anyone)
            }
        case .anyone:
            guard options.hasPublicSession else { throw ProblemType.sessionRequired.problem() }
            return registry.publicSession()
        }
    }

    /// Checks that the session is the one that the client means, where it says so.
    ///
    /// Another tab may have changed the cookie that this one lives by. Of a change, checks that it is neither forged by
    /// another site nor too late.
    private func check(_ session: Session, of caller: Caller, for request: Request, _ isChange: Bool) throws {
        if let id = try request.single(.binderySession, "Bindery-Session") {
            guard id.utf8.elementsEqual(session.id.publicID.utf8) else { throw ProblemType.sessionChanged.problem() }
        }
        guard isChange else { return }
        if !caller.isProven, let refusal = CrossSiteRule.refusal(of: crossSiteRule.source(of: request)) {
            throw refusal
        }
        try checkDraining(request)
    }

    /// - Throws: ``Problem``, 503, for a request that began when the service was draining.
    func checkDraining(_ request: Request) throws {
        guard !isTooLate(request) else { throw ProblemType.draining.passing(after: .random(in: 1...5)) }
    }
}
