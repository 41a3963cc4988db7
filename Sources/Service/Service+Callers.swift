import HTTP
import Sessions

extension Service {
    /// The session a request to read speaks of.
    ///
    /// - Throws: ``Problem``, 401, for a token that is unknown, and for none where one is needed. A token that is not
    ///   good never falls back to the public session.
    func session(of request: Request) async throws -> Session {
        try await session(of: Caller(request, cookieName: options.cookieName))
    }

    /// The same without waiting; nil where it has to be loaded first.
    func sessionAtHand(of request: Request) throws -> Session? {
        sessionAtHand(of: try Caller(request, cookieName: options.cookieName))
    }

    private func sessionAtHand(of caller: Caller) -> Session? {
        switch caller {
        case .bearer(let token), .cookie(let token): registry.sessionAtHand(for: token)
        case .anyone: options.hasPublicSession ? registry.publicSessionAtHand : nil
        }
    }

    /// The session a request to change something speaks of.
    ///
    /// - Throws: ``Problem``, as ``session(of:)-(Request)``, 403 for a request of another site, 503 while draining.
    func sessionToChange(of request: Request) async throws -> Session {
        let caller = try Caller(request, cookieName: options.cookieName)
        let session = try await session(of: caller)
        try checkOrigin(of: request, isProven: caller.isProven)
        return session
    }

    /// The same without waiting; nil where the session has to be loaded first.
    func sessionToChangeAtHand(of request: Request) throws -> Session? {
        let caller = try Caller(request, cookieName: options.cookieName)
        guard let session = sessionAtHand(of: caller) else { return nil }
        try checkOrigin(of: request, isProven: caller.isProven)
        return session
    }

    /// Lets a change through that is neither forged by another site nor too late.
    ///
    /// - Parameter isProven: whether the request carries what no other site can make a browser send.
    func checkOrigin(of request: Request, isProven: Bool) throws {
        if !isProven { try CrossSiteRule.check(request) }
        guard !isDraining else { throw ProblemType.draining.passing(after: .random(in: 1...5)) }
    }

    private func session(of caller: Caller) async throws -> Session {
        switch caller {
        case .bearer(let token), .cookie(let token):
            guard let session = try await registry.session(for: token) else {
                throw ProblemType.sessionUnknown.problem()
            }
            return session
        case .anyone:
            guard options.hasPublicSession else { throw ProblemType.sessionRequired.problem() }
            return try await registry.publicSession()
        }
    }
}
