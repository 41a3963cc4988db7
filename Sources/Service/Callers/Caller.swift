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

extension Request {
    /// The value of a field that stands for one thing; nil where there is none.
    ///
    /// Whoever reads such a field reads it by this: of two, the one that counts for us may be the one that somebody before
    /// us did not look at.
    ///
    /// - Parameter spelling: the field's name, for whoever sent it twice.
    /// - Throws: ``Problem``, 400, where the field came more than once.
    func single(_ name: RequestHeader, _ spelling: String) throws -> String? {
        guard !isRepeated(name) else {
            throw ProblemType.malformedHeader.problem("Send one \(spelling) header, not two. Nothing was begun.")
        }
        return header(name)
    }
}

extension Sequence<UInt8> {
    /// Whether these bytes are a word, in any case of ASCII.
    ///
    /// Of what a caller sent, `lowercased()` costs the whole of Unicode's tables, and there are letters beyond ASCII whose
    /// lower case is within it.
    ///
    /// - Parameter word: in lower case.
    func spell(_ word: String) -> Bool {
        elementsEqual(word.utf8) { byte, letter in
            (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) == letter
        }
    }
}
