import Entities
import HTTP

/// The session for which a request speaks, by its credentials.
struct Caller {
    /// The token; nil in the public session.
    let token: SessionToken?
    /// Whether no other site can make a browser send the request: the token is that of `Authorization: Bearer`.
    ///
    /// See RFC 6750, section 2.1. A cookie (RFC 6265) is added by the browser itself.
    let isProven: Bool

    /// Reads the credentials of a request.
    ///
    /// - Throws: ``Problem``: 401 for a token that ``SessionToken`` refuses, 400 for a field or cookie that is there twice.
    init(_ request: Request, cookie name: String) throws(Problem) {
        if let field = try request.single(.authorization, "Authorization"), let token = try Self.token(in: field) {
            (self.token, isProven) = (token, true)
        } else {
            isProven = false
            token = if let cookies = request.header(.cookie) { try Self.token(of: name, in: cookies) } else { nil }
        }
    }

    /// The token of Bearer credentials; nil for Basic ones, which browsers and proxies add by themselves.
    private static func token(in credentials: String) throws(Problem) -> SessionToken? {
        let words = credentials.utf8.split(whereSeparator: \.isBlank)
        if words.count == 2, words[0].spell("basic"), !words[1].contains(UInt8(ascii: ",")) { return nil }
        guard words.count == 2, words[0].spell("bearer"), let token = SessionToken(Substring(words[1])) else {
            throw ProblemType.sessionUnknown.problem()
        }
        return token
    }

    /// The token in the session's cookie; nil where there is no such cookie.
    private static func token(of name: String, in cookies: String) throws(Problem) -> SessionToken? {
        let start = Array("\(name)=".utf8)
        let values = cookies.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0).trimmed.utf8 }
            .filter { $0.starts(with: start) }.map { Substring($0.dropFirst(start.count)) }
        guard let value = values.first else { return nil }
        guard values.allSatisfy({ $0 == value }) else {
            throw ProblemType.malformedHeader.problem("Cookie has \(name) twice, with different values. Delete one.")
        }
        guard let token = SessionToken(value) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }
}

extension Sequence<UInt8> {
    /// Whether these bytes are a word, in any case of ASCII.
    ///
    /// - Parameter word: in lower case.
    func spell(_ word: String) -> Bool { elementsEqual(word.utf8) { $0.lowercased == $1 } }
}

// Tells requests of other sites' pages from those of our own.
//
// A browser adds a cookie by itself, and anybody may use the public session. So neither proves that the page behind a
// request is ours. The browser says where a request comes from: `Sec-Fetch-Site` (Fetch Metadata), or over plain HTTP and
// in older browsers only `Origin` (RFC 6454). A Bearer token is proof enough: only a script that has it can send it.
extension Service {
    /// Where a request comes from: a page of this host or no page, a page of an allowed origin, or another page.
    enum Source { case ownSite, allowedOrigin, otherSite }

    /// Where a request comes from.
    func source(of request: Request) -> Source {
        if Self.isOurs(request) { return .ownSite }
        return allowedOrigin(of: request) == nil ? .otherSite : .allowedOrigin
    }

    /// The request's `Origin`, in the spelling of browsers, if its pages may read our answers.
    func allowedOrigin(of request: Request) -> String? {
        guard !options.allowedOrigins.isEmpty, let text = request.header(.origin), !request.isRepeated(.origin),
            let origin = WebOrigin(text), options.allowedOrigins.contains(origin)
        else { return nil }
        return origin.description
    }

    private static func isOurs(_ request: Request) -> Bool {
        if let site = request.header(.secFetchSite) {
            return !request.isRepeated(.secFetchSite) && (site == "same-origin" || site == "none")
        }
        guard let text = request.header(.origin) else { return true }
        guard !request.isRepeated(.origin), let origin = WebOrigin(text),
            let host = request.forwardedHost ?? request.header(.host)
        else { return false }
        // Without X-Forwarded-Proto, a proxy may have taken TLS off, so the scheme says nothing.
        return origin == WebOrigin(scheme: request.forwardedScheme?.lowercased() ?? origin.scheme, authority: host)
    }

    /// - Throws: ``Problem``, 403, for a change that comes from another site without a Bearer token.
    func checkSource(_ source: Source) throws(Problem) {
        switch source {
        case .ownSite: return
        case .otherSite: throw ProblemType.crossSite.problem()
        case .allowedOrigin:
            throw ProblemType.crossSite.problem(
                "Pages of an allowed origin (allowedOrigins; --allow-origin) need a token: begin a session with "
                    + "POST /sessions and send its token as Authorization: Bearer.")
        }
    }
}
