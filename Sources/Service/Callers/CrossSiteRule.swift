import HTTP

/// Tells requests of other sites' pages from those of our own.
///
/// A browser adds a cookie by itself, and anybody may use the public session. So neither proves that the page behind a
/// request is ours. The browser says where a request comes from: `Sec-Fetch-Site` (Fetch Metadata), or over plain HTTP and
/// in older browsers only `Origin` (RFC 6454). A Bearer token is proof enough: only a script that has it can send it.
struct CrossSiteRule: Sendable {
    /// Where a request comes from: a page of this host or no page, a page of an allowed origin, or another page.
    enum Source { case ownSite, allowedOrigin, otherSite }

    let allowedOrigins: Set<WebOrigin>

    /// Where a request comes from.
    func source(of request: Request) -> Source {
        if Self.isOurs(request) { return .ownSite }
        return allowedOrigin(of: request) == nil ? .otherSite : .allowedOrigin
    }

    /// The request's `Origin`, in the spelling of browsers, if its pages may read our answers.
    func allowedOrigin(of request: Request) -> String? {
        guard !allowedOrigins.isEmpty, let text = request.header(.origin), !request.isRepeated(.origin),
            let origin = WebOrigin(text), allowedOrigins.contains(origin)
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
    func check(_ source: Source) throws(Problem) {
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

extension Service {
    /// The fields by which pages of an origin may read an answer (WHATWG Fetch, section 3.2, "CORS protocol").
    ///
    /// Access-Control-Allow-Credentials is never sent: pages of other origins show a token and never a cookie.
    static func readable(by origin: String) -> [Header] {
        let exposed = "ETag, Location, Request-Id, Retry-After, Idempotency-Replayed, Accept-Patch"
        return [
            Header("Access-Control-Allow-Origin", origin), Header(.vary, "Origin"),
            Header("Access-Control-Expose-Headers", exposed),
        ]
    }

    /// For each path the answer to a browser's preflight request; none where no origin is allowed.
    func preflights(of routes: [Route]) -> [Route] {
        guard !options.allowedOrigins.isEmpty else { return [] }
        return Dictionary(grouping: routes, by: \.template).map { template, routes in
            let methods = routes.map { $0.method == .get ? "GET, HEAD" : $0.method.rawValue }.joined(separator: ", ")
            let headers = [
                Header("Access-Control-Allow-Methods", methods),
                Header(
                    "Access-Control-Allow-Headers",
                    "Accept-Language, Authorization, Bindery-Session, Content-Type, Idempotency-Key, If-Match, "
                        + "If-None-Match, Last-Event-ID"),
                // Two hours, the longest that Chromium keeps it.
                Header("Access-Control-Max-Age", "7200"),
            ]
            // Another origin gets no Access-Control-Allow-Origin, so its browser stops there.
            return route(.options, template) { $1.send(Response(status: 204, headers: headers)) }
        }
    }
}
