import HTTP
import Sessions

extension Service {
    /// What a request asks of its session.
    typealias Question = @Sendable (Session, Request) throws -> Eventual<Response>

    /// Answers a request by what its session says: at once where the session knows it.
    ///
    /// - Parameters:
    ///   - isChange: whether the request changes something.
    ///   - question: asked at most twice more where the session left memory.
    /// - Throws: ``Problem``: 401 for a token that is unknown, and for none where one is needed, and where it is another
    ///   session than `Bindery-Session` names; of a change 403 for a request of another site, and 503 while draining; a
    ///   session's failure; what the question throws. A token that is not good never falls back to the public session.
    func answer(
        _ request: Request, changing isChange: Bool = false, by question: @escaping Question
    ) throws -> Response {
        let first: Eventual<Response>
        do {
            first = try put(question, by: request, changing: isChange)
        } catch SessionFailure.evicted {
            first = .later { throw SessionFailure.evicted }
        } catch {
            throw Problem.of(error)
        }
        switch first {
        case .now(let response): return response
        case .later(let begun):
            return awaiting(request) { [self] in
                var attempt = begun
                for _ in 0..<2 {
                    do { return try await attempt() } catch SessionFailure.evicted {
                        attempt = { [self] in try await put(question, by: request, changing: isChange).value }
                    }
                }
                return try await attempt()
            }
        }
    }

    private func put(
        _ question: @escaping Question, by request: Request, changing isChange: Bool
    ) throws -> Eventual<Response> {
        let caller = try Caller(request, cookie: options.cookieName)
        // No `then`: what it would carry along costs an allocation where the session is known, as it nearly always is.
        switch try session(of: caller) {
        case .now(let session):
            try check(request, of: caller, changing: isChange, meant: session)
            return try question(session, request)
        case .later(let find):
            return .later { [self] in
                let session = try await find()
                try check(request, of: caller, changing: isChange, meant: session)
                return try await question(session, request).value
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

/// Who is asking, as the request says it.
enum Caller {
    /// Whoever holds the token, shown as `Authorization: Bearer` (RFC 6750, section 2.1).
    case bearer(SessionToken)
    /// Whoever holds the token, sent along by a browser as a cookie (RFC 6265).
    case cookie(SessionToken)
    /// Whoever holds the token, if it is one, in a cookie of the name that earlier versions gave it; else someone who
    /// brought no token: other applications on the same host name may call a cookie of theirs so.
    case earlierCookie(SessionToken)
    /// Someone who brought no token.
    case anyone

    /// The token that was brought, a session's or not.
    var token: SessionToken? {
        switch self {
        case .bearer(let token), .cookie(let token), .earlierCookie(let token): token
        case .anyone: nil
        }
    }

    /// Whether the request carries what no other site can make a browser send.
    var isProven: Bool { if case .bearer = self { true } else { false } }

    /// Reads a request.
    ///
    /// - Throws: ``Problem``: 401 for a token that cannot be one of ours, 400 for more than one of what one is wanted of.
    init(_ request: Request, cookie: CookieName) throws {
        if let credentials = try request.single(.authorization, "Authorization"),
            let token = try Self.bearerToken(in: credentials)
        {
            self = .bearer(token)
        } else if let cookies = try request.single(.cookie, "Cookie") {
            self = try Self.sent(in: cookies, cookie)
        } else {
            self = .anyone
        }
    }

    private static func sent(in cookies: String, _ cookie: CookieName) throws -> Caller {
        let values = values(of: cookie.current, in: cookies)
        guard let value = values.first else {
            // The name is not ours alone: another application may use it.
            let earlier = Self.values(of: cookie.earlier, in: cookies).compactMap { SessionToken($0) }.first
            return earlier.map { .earlierCookie($0) } ?? .anyone
        }
        guard values.allSatisfy({ $0.utf8.elementsEqual(value.utf8) }) else {
            throw ProblemType.malformedHeader.problem(
                "Cookie has \(cookie.current) twice, with different values: nobody can tell which is meant. Delete one."
            )
        }
        return .cookie(try token(value))
    }

    /// Whether credentials are of the scheme that no browser adds by itself, as it does those of Basic.
    static func isBearer(_ credentials: String) -> Bool { scheme(of: credentials).spell("bearer") }

    /// Stops at a comma too: a proxy may have joined two fields.
    private static func scheme(of credentials: String) -> Substring.UTF8View {
        credentials.utf8.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") }
    }

    private static func token(_ text: Substring) throws -> SessionToken {
        guard let token = SessionToken(text) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }

    /// The token that Bearer shows; nil for Basic and its one word alone: what browsers and proxies add by themselves is
    /// nobody's token.
    ///
    /// Neither word may have a comma in it (RFC 6750, section 2.1; RFC 7617, section 2): with one, it is two fields in one.
    private static func bearerToken(in credentials: String) throws -> SessionToken? {
        // Byte by byte: this is read on an event loop, and may be as long as a head.
        let words = credentials.utf8.split(whereSeparator: isSpace)
        let (isBearer, isBasic) = (isBearer(credentials), scheme(of: credentials).spell("basic"))
        if isBearer || isBasic, credentials.utf8.contains(UInt8(ascii: ",")) || isBasic && words.count != 2 {
            throw ProblemType.malformedHeader.problem("Send one Authorization header with one scheme and one word.")
        }
        guard !isBasic else { return nil }
        guard isBearer, words.count == 2 else {
            throw ProblemType.sessionUnknown.problem(
                "Authorization is not Bearer and a token. Begin a session with POST /sessions and send its token so.")
        }
        return try token(Substring(words[1]))
    }

    /// The values of the cookies of a name, in their order, without the white space around them.
    ///
    /// Byte by byte: to a `Character`, an equals sign with an accent on it is no equals sign, and what is no cookie of
    /// ours is nobody's.
    private static func values(of name: String, in cookies: String) -> [Substring] {
        let start = Array("\(name)=".utf8)
        return cookies.utf8.split(separator: UInt8(ascii: ";")).compactMap { cookie in
            let pair = cookie.drop(while: isSpace)
            guard pair.starts(with: start) else { return nil }
            var value = pair.dropFirst(start.count)
            while value.last.map(isSpace) == true { value.removeLast() }
            return Substring(value)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// What the cookie that carries the token is called.
struct CookieName: Sendable {
    /// As it is given.
    let current: String
    /// As versions before gave it; nobody's in particular, so that other applications give it, too.
    let earlier: String

    /// By the prefix, browsers take the second for HTTPS alone and from this very host (RFC 6265bis, section 4.1.3.2).
    init(isSecure: Bool) {
        (current, earlier) = isSecure ? ("__Host-bindery-session", "__Host-session") : ("bindery-session", "session")
    }
}
