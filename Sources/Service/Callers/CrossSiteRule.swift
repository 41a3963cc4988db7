import HTTP

/// Refuses what another site makes a browser send.
///
/// A browser adds a cookie to a request by itself, and anyone may use the public session, so neither proves that the
/// page behind the request is ours; the browser's own word on where the request comes from does (Fetch Metadata,
/// `Sec-Fetch-Site`; for older browsers `Origin`, RFC 6454). A Bearer token is added by nobody but our own script:
/// it is proof enough.
enum CrossSiteRule {
    /// - Throws: ``Problem``, 403, for a request from another site.
    static func check(_ request: Request) throws {
        guard isSameSite(request) else {
            throw ProblemType.crossSite.problem()
        }
    }

    private static func isSameSite(_ request: Request) -> Bool {
        if let site = request.header(.secFetchSite) {
            return !request.isRepeated(.secFetchSite) && (site == "same-origin" || site == "none")
        }
        guard let origin = request.header(.origin) else { return true }
        guard !request.isRepeated(.origin), let host = request.header(.host),
            let scheme = origin.range(of: "://")
        else { return false }
        return origin[scheme.upperBound...].lowercased() == host.lowercased()
    }
}
