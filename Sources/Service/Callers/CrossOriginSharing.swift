import HTTP

// The CORS protocol (WHATWG Fetch, section 3.2). There is no Access-Control-Allow-Credentials: a page of another origin
// shows its token as Authorization: Bearer, which no other site can make a browser send, and never a cookie.

extension Response {
    /// The answer as a page of that origin may read it, also where it is still to come.
    func shared(with origin: String) -> Response {
        let fields = Header.shared(with: origin)
        var response = self
        response.headers += fields
        if case .later(let begin) = body { response.body = .later { begin($0.adding(fields)) } }
        return response
    }
}

extension Response.Header {
    /// What lets pages of that origin read an answer, and of its fields those that a client needs.
    static func shared(with origin: String) -> [Header] {
        [
            Header("Access-Control-Allow-Origin", origin), Header(.vary, "Origin"),
            Header("Access-Control-Expose-Headers", "ETag, Location, Request-Id, Retry-After, Idempotency-Replayed"),
        ]
    }
}

extension Service {
    /// For each path the answer to the question that a browser asks before it lets a page of another origin act there.
    ///
    /// None where no origin is allowed: an OPTIONS is then 405, as is one of an origin that is not allowed.
    func preflights(of routes: [Route]) -> [Route] {
        guard !options.allowedOrigins.isEmpty else { return [] }
        let methods = Dictionary(grouping: routes, by: \.template).mapValues { routes in
            routes.flatMap { $0.method == .get ? [Method.get, .head] : [$0.method] }.map(\.rawValue)
                .joined(separator: ", ")
        }
        return methods.map { template, methods in
            Route(.options, template) { [self] request in
                guard crossSiteRule.allowedOrigin(of: request) != nil,
                    request.header(.accessControlRequestMethod) != nil
                else {
                    throw ProblemType.methodNotAllowed.problem(
                        "This path answers \(methods) only.", headers: [Header(.allow, methods)])
                }
                return Response(status: 204, headers: Self.preflightHeaders + [Header(Self.allowMethods, methods)])
            }
        }
    }

    private static let allowMethods: HeaderName = "Access-Control-Allow-Methods"

    private static let preflightHeaders = [
        Header(
            "Access-Control-Allow-Headers",
            "Accept-Language, Authorization, Bindery-Session, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
                + "Last-Event-ID"),
        // Two hours, the longest that Chromium keeps it.
        Header("Access-Control-Max-Age", "7200"),
    ]
}
