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
        } else if let cookies = request.header(.cookie), let cookie = Self.value(of: cookieName, in: cookies) {
            self = .cookie(try Self.token(cookie))
        } else {
            self = .anyone
        }
    }

    private static func token(_ text: Substring?) throws -> SessionToken {
        guard let token = text.flatMap({ SessionToken($0) }) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }

    private static func bearerToken(in credentials: String) -> Substring? {
        let parts = credentials.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    private static func value(of name: String, in cookies: String) -> Substring? {
        for cookie in cookies.split(separator: ";") {
            let pair = cookie.drop { $0 == " " || $0 == "\t" }
            guard pair.hasPrefix(name), pair.dropFirst(name.count).first == "=" else { continue }
            let value = pair.dropFirst(name.count + 1)
            return value.prefix { $0 != " " && $0 != "\t" }
        }
        return nil
    }
}
