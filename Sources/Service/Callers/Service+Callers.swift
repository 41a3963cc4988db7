import HTTP
import Sessions

extension Service {
    /// What a request asks of its session.
    ///
    /// Nil: the question has taken care of the answer.
    typealias Question = @Sendable (Session, Request, Responder) throws -> Eventual<Response?>

    /// Answers a request by what its session says: at once where the session knows it.
    ///
    /// - Parameters:
    ///   - isChange: whether the request changes something.
    ///   - question: asked at most twice more where the session left memory.
    /// - Throws: ``Problem``: 401 for a token that is unknown, and for none where one is needed, and where it is another
    ///   session than `Bindery-Session` names; of a change 403 for a request of another site, and 503 while draining; a
    ///   session's failure; what the question throws. A token that is not good never falls back to the public session.
    func answer(
        _ request: Request, _ responder: Responder, changing isChange: Bool = false, by question: @escaping Question
    ) throws {
        let first: Eventual<Response?>
        do {
            first = try put(question, by: request, responder, changing: isChange)
        } catch SessionFailure.evicted {
            first = .later { throw SessionFailure.evicted }
        } catch {
            throw Problem.of(error)
        }
        switch first {
        case .now(let response): if let response { responder.send(response) }
        case .later(let begun):
            answer(request, responder) { [self] in
                var attempt = begun
                for _ in 0..<2 {
                    do { return try await attempt() } catch SessionFailure.evicted {
                        attempt = { [self] in
                            try await put(question, by: request, responder, changing: isChange).value
                        }
                    }
                }
                return try await attempt()
            }
        }
    }

    private func put(
        _ question: @escaping Question, by request: Request, _ responder: Responder, changing isChange: Bool
    ) throws -> Eventual<Response?> {
        let caller = try Caller(request, cookie: options.cookieName)
        // No `then`: what it would carry along costs an allocation where the session is known, as it nearly always is.
        switch try session(of: caller) {
        case .now(let session):
            try check(request, of: caller, changing: isChange, meant: session)
            return try question(session, request, responder)
        case .later(let find):
            return .later { [self] in
                let session = try await find()
                try check(request, of: caller, changing: isChange, meant: session)
                return try await question(session, request, responder).value
            }
        }
    }

    private func check(_ request: Request, of caller: Caller, changing isChange: Bool, meant session: Session) throws {
        request.note(session.tag)
        try checkMeant(session, by: request)
        if isChange { try checkChange(by: request, of: caller) }
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
    /// Another tab may have changed the cookie that this one lives by.
    private func checkMeant(_ session: Session, by request: Request) throws {
        guard let id = try request.single(.binderySession, "Bindery-Session") else { return }
        guard id.utf8.elementsEqual(session.id.publicID.utf8) else { throw ProblemType.sessionChanged.problem() }
    }

    /// Lets a change through that is neither forged by another site nor too late.
    private func checkChange(by request: Request, of caller: Caller) throws {
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
