import HTTP
import Sessions

/// Who is asking, as the request says it.
enum Caller {
    /// Whoever holds the token, shown as `Authorization: Bearer` (RFC 6750, section 2.1).
    case bearer(SessionToken)
    /// Whoever holds the token, sent along by a browser as a cookie (RFC 6265).
    case cookie(SessionToken)
    /// Someone who brought no token.
    case anyone

    /// Whether the request carries what no other site can make a browser send.
    var isProven: Bool { if case .bearer = self { true } else { false } }

    /// Reads a request.
    ///
    /// - Throws: ``Problem`` for a token that cannot be one of ours, or a header that was sent twice.
    init(_ request: Request, cookieName: String) throws {
        if let credentials = request.header(.authorization) {
            guard !request.isRepeated(.authorization) else {
                throw ProblemType.malformedHeader.problem("Send one Authorization header, not two.")
            }
            self = .bearer(try Self.token(Self.bearerToken(in: credentials)))
        } else if let cookies = request.header(.cookie) {
            // The second field may hold the token that the first does not.
            guard !request.isRepeated(.cookie) else {
                throw ProblemType.malformedHeader.problem("Send one Cookie header, not two.")
            }
            self = try Self.value(of: cookieName, in: cookies).map { .cookie(try Self.token($0)) } ?? .anyone
        } else {
            self = .anyone
        }
    }

    /// Whether credentials are of the scheme that no browser adds by itself, as it does those of Basic.
    static func isBearer(_ credentials: String) -> Bool {
        credentials.prefix { $0 != " " }.lowercased() == "bearer"
    }

    private static func token(_ text: Substring?) throws -> SessionToken {
        guard let token = text.flatMap({ SessionToken($0) }) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }

    private static func bearerToken(in credentials: String) -> Substring? {
        let parts = credentials.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, isBearer(credentials) else { return nil }
        return parts[1]
    }

    /// Byte by byte: to a `Character`, an equals sign with an accent on it is no equals sign, and what is no cookie of
    /// ours is nobody's.
    private static func value(of name: String, in cookies: String) -> Substring? {
        let start = Array("\(name)=".utf8)
        for cookie in cookies.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = cookie.drop(while: isSpace)
            guard pair.starts(with: start) else { continue }
            return Substring(pair.dropFirst(start.count).prefix { !isSpace($0) })
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
