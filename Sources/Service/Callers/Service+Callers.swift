import HTTP
import Sessions

extension Service {
    /// The session a request to read speaks of.
    ///
    /// - Throws: ``Problem``, 401, for a token that is unknown, and for none where one is needed, and where it is another
    ///   session than `Bindery-Session` names. A token that is not good never falls back to the public session.
    func session(of request: Request) async throws -> Session {
        try await session(of: Caller(request, cookie: options.cookieName), for: request)
    }

    /// The same without waiting; nil where it has to be loaded first.
    func sessionAtHand(of request: Request) throws -> Session? {
        try sessionAtHand(of: Caller(request, cookie: options.cookieName), for: request)
    }

    /// The session a request to change something speaks of, and who asks.
    ///
    /// - Throws: ``Problem``, as ``session(of:)-(Request)``, 403 for a request of another site, 503 while draining.
    func sessionToChange(of request: Request) async throws -> Session {
        let caller = try Caller(request, cookie: options.cookieName)
        let session = try await session(of: caller, for: request)
        try checkChange(by: request, isProven: caller.isProven)
        return session
    }

    /// The same without waiting; nil where the session has to be loaded first.
    func sessionToChangeAtHand(of request: Request) throws -> Session? {
        let caller = try Caller(request, cookie: options.cookieName)
        guard let session = try sessionAtHand(of: caller, for: request) else { return nil }
        try checkChange(by: request, isProven: caller.isProven)
        return session
    }

    /// Lets a change through that is neither forged by another site nor too late.
    ///
    /// - Parameter isProven: whether the request carries what no other site can make a browser send.
    private func checkChange(by request: Request, isProven: Bool) throws {
        if !isProven, let refusal = CrossSiteRule.refusal(of: crossSiteRule.source(of: request)) { throw refusal }
        try checkDraining(request)
    }

    /// - Throws: ``Problem``, 503, for a request that began when the service was draining.
    func checkDraining(_ request: Request) throws {
        guard !isTooLate(request) else { throw ProblemType.draining.passing(after: .random(in: 1...5)) }
    }

    private func sessionAtHand(of caller: Caller, for request: Request) throws -> Session? {
        let session: Session? =
            switch caller {
            case .bearer(let token), .cookie(let token), .earlierCookie(let token): registry.sessionAtHand(for: token)
            case .anyone: options.hasPublicSession ? registry.publicSessionAtHand : nil
            }
        if let session { try check(session, for: request) }
        return session
    }

    private func session(of caller: Caller, for request: Request) async throws -> Session {
        let session = try await session(of: caller)
        try check(session, for: request)
        return session
    }

    private func session(of caller: Caller) async throws -> Session {
        switch caller {
        case .bearer(let token), .cookie(let token):
            guard let session = try await registry.session(for: token) else {
                throw ProblemType.sessionUnknown.problem()
            }
            return session
        case .earlierCookie(let token):
            if let session = try await registry.session(for: token) { return session }
            return try await session(of: .anyone)
        case .anyone:
            guard options.hasPublicSession else { throw ProblemType.sessionRequired.problem() }
            return try await registry.publicSession()
        }
    }

    /// Checks that the session is the one that the client means, where it says so: another tab may have changed the
    /// cookie that this one lives by.
    private func check(_ session: Session, for request: Request) throws {
        guard let id = try request.single(.binderySession, "Bindery-Session") else { return }
        guard id.utf8.elementsEqual(session.id.publicID.utf8) else { throw ProblemType.sessionChanged.problem() }
    }
}
