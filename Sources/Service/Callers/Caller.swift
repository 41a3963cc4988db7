import HTTP
import Sessions

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
    /// - Throws: ``Problem`` for a token that cannot be one of ours, or a header that was sent twice.
    init(_ request: Request, cookie: CookieName) throws {
        if let credentials = request.header(.authorization), !Self.isBasic(credentials) {
            guard !request.isRepeated(.authorization) else {
                throw ProblemType.malformedHeader.problem("Send one Authorization header, not two.")
            }
            guard let text = Self.bearerToken(in: credentials) else {
                throw ProblemType.sessionUnknown.problem(
                    "Authorization is not Bearer and a token. Begin a session with POST /sessions and send its token so."
                )
            }
            self = .bearer(try Self.token(text))
        } else if let cookies = request.header(.cookie) {
            // The second field may hold the token that the first does not.
            guard !request.isRepeated(.cookie) else {
                throw ProblemType.malformedHeader.problem("Send one Cookie header, not two.")
            }
            if let text = Self.values(of: cookie.current, in: cookies).first {
                self = .cookie(try Self.token(text))
            } else {
                let earlier = Self.values(of: cookie.earlier, in: cookies).compactMap { SessionToken($0) }.first
                self = earlier.map { .earlierCookie($0) } ?? .anyone
            }
        } else {
            self = .anyone
        }
    }

    /// Whether credentials are of the scheme that no browser adds by itself, as it does those of Basic.
    static func isBearer(_ credentials: String) -> Bool {
        credentials.prefix { $0 != " " }.lowercased() == "bearer"
    }

    /// Whether credentials are of the scheme that browsers and proxies add by themselves: they are nobody's token.
    private static func isBasic(_ credentials: String) -> Bool {
        credentials.prefix { $0 != " " }.lowercased() == "basic"
    }

    private static func token(_ text: Substring) throws -> SessionToken {
        guard let token = SessionToken(text) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }

    private static func bearerToken(in credentials: String) -> Substring? {
        let parts = credentials.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, isBearer(credentials) else { return nil }
        return parts[1]
    }

    /// The values of the cookies of a name, in their order.
    ///
    /// Byte by byte: to a `Character`, an equals sign with an accent on it is no equals sign, and what is no cookie of
    /// ours is nobody's.
    private static func values(of name: String, in cookies: String) -> [Substring] {
        let start = Array("\(name)=".utf8)
        return cookies.utf8.split(separator: UInt8(ascii: ";")).compactMap { cookie in
            let pair = cookie.drop(while: isSpace)
            guard pair.starts(with: start) else { return nil }
            return Substring(pair.dropFirst(start.count).prefix { !isSpace($0) })
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
