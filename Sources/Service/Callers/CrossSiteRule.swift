import HTTP

/// Tells what another site makes a browser send from what our own pages do.
///
/// A browser adds a cookie to a request by itself, and anyone may use the public session, so neither proves that the
/// page behind the request is ours; the browser's own word on where the request comes from does (Fetch Metadata,
/// `Sec-Fetch-Site`; over plain HTTP and from older browsers only `Origin`, RFC 6454). A Bearer token is added by nobody
/// but our own script: it is proof enough.
struct CrossSiteRule: Sendable {
    /// Where a request comes from.
    enum Source: Equatable {
        /// A page of this host, or no page at all.
        case ownSite
        /// A page of an origin that may read our answers.
        case allowedOrigin
        /// A page of another site, as the browser itself says.
        case otherSite
        /// A page whose Origin is not the host we were asked for: of another site, or behind a proxy that hides the host.
        case otherHost
        /// A page of our host by another scheme than the proxy was asked by.
        case otherScheme
    }

    let allowedOrigins: Set<WebOrigin>

    /// Where a request comes from.
    func source(of request: Request) -> Source {
        guard let source = Self.foreignSource(of: request) else { return .ownSite }
        return allowedOrigin(of: request) == nil ? source : .allowedOrigin
    }

    /// The request's Origin where that is one of the allowed.
    func allowedOrigin(of request: Request) -> String? {
        guard !allowedOrigins.isEmpty, let text = request.header(.origin), !request.isRepeated(.origin) else {
            return nil
        }
        return allowed(text)
    }

    /// The origin whose pages may read our answers where an `Origin` field names one.
    ///
    /// Written as browsers do, never as the client did: what is answered has its room.
    func allowed(_ text: String) -> String? {
        guard let origin = WebOrigin(text), allowedOrigins.contains(origin) else { return nil }
        return origin.description
    }

    /// Nil for our own site.
    private static func foreignSource(of request: Request) -> Source? {
        if let site = request.header(.secFetchSite) {
            let isOurs = !request.isRepeated(.secFetchSite) && (site == "same-origin" || site == "none")
            return isOurs ? nil : .otherSite
        }
        guard let text = request.header(.origin) else { return nil }
        guard !request.isRepeated(.origin), let origin = WebOrigin(text) else { return .otherSite }
        guard let host = request.forwardedHost ?? request.header(.host) else { return .otherHost }
        let scheme = request.forwardedScheme?.lowercased()
        // Where nobody says by which scheme we were asked, a proxy before us may have taken TLS off.
        if origin == WebOrigin(scheme: scheme ?? origin.scheme, authority: host) { return nil }
        return origin == WebOrigin(scheme: origin.scheme, authority: host) ? .otherScheme : .otherHost
    }

    /// What is said to whoever comes from there and asks for a change; nil where that is allowed.
    static func refusal(of source: Source) -> Problem? {
        switch source {
        case .ownSite: nil
        case .otherSite: ProblemType.crossSite.problem()
        case .allowedOrigin:
            ProblemType.crossSite.problem(
                "An origin of --allow-origin changes something by a token alone: begin a session with POST /sessions and "
                    + "send its token as Authorization: Bearer.")
        case .otherHost:
            ProblemType.crossSite.problem(
                "The Origin is not the host that this server was asked for. Behind a proxy that changes Host, pass Host "
                    + "on, or name the proxy with --trusted-proxy and have it send X-Forwarded-Host. From another site, "
                    + "send an Authorization: Bearer token.")
        case .otherScheme:
            ProblemType.crossSite.problem(
                "The Origin's scheme is not that of X-Forwarded-Proto. Load the page by the scheme that the proxy is "
                    + "asked by, or have the outermost proxy say it in X-Forwarded-Proto.")
        }
    }
}
