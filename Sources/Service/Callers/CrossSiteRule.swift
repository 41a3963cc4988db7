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
                "An allowed origin (allowedOrigins; --allow-origin) changes something by a token alone: begin "
                    + "a session with POST /sessions and send its token as Authorization: Bearer.")
        case .otherHost:
            ProblemType.crossSite.problem(
                "The Origin is not the host that this server was asked for. Behind a proxy that changes Host, pass Host "
                    + "on, or trust the proxy (trustedProxies; --trusted-proxy) and have it send X-Forwarded-Host. From "
                    + "another site, send an Authorization: Bearer token.")
        case .otherScheme:
            ProblemType.crossSite.problem(
                "The Origin's scheme is not that of X-Forwarded-Proto. Load the page by the scheme that the proxy is "
                    + "asked by, or have the outermost proxy say it in X-Forwarded-Proto.")
        }
    }
}

// The CORS protocol (WHATWG Fetch, section 3.2). There is no Access-Control-Allow-Credentials: a page of another origin
// shows its token as Authorization: Bearer, which no other site can make a browser send, and never a cookie.

extension Response.Header {
    /// What lets pages of that origin read an answer, and of its fields those that a client needs.
    static func readable(by origin: String) -> [Header] {
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
            Route(.options, template) { [self] (request: Request) in
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

/// Where a page comes from: a scheme, a host and a port (RFC 6454).
///
/// Two that differ only in case, or in that one names its scheme's own port, are equal.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    let scheme: String
    /// In lower case, IPv6 in brackets.
    let host: String
    /// Nil where none is given and the scheme has none of its own.
    let port: UInt16?

    /// Reads an origin as browsers send it, like `https://app.example.org` or `capacitor://localhost`.
    ///
    /// - Returns: nil where it is malformed or says more, such as a path; for `null`, too, which any page can be.
    public init?(_ text: some StringProtocol) {
        // First of all: beyond ASCII, each character costs five times as much.
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let separator = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<separator.lowerBound]
        self.init(scheme: scheme.lowercased(), authority: text[separator.upperBound...])
    }

    /// The origin of a page that is loaded from a host by a scheme.
    ///
    /// - Parameter authority: a host with or without a port, as in `Host`.
    init?(scheme: String, authority: some StringProtocol) {
        // Beyond ASCII there are letters whose lower case is within it.
        guard authority.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let authority = authority.lowercased()
        // The colon before a port comes behind the brackets of IPv6.
        let afterBrackets = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[afterBrackets...].firstIndex(of: ":") ?? authority.endIndex
        let digits = authority[colon...].dropFirst()
        let name = authority[..<colon]
        guard !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isSchemeByte), !name.isEmpty,
            name.utf8.allSatisfy(Self.isHostByte), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.isEmpty || UInt16(digits) != nil
        else { return nil }
        self.scheme = scheme
        host = String(name)
        port = UInt16(digits) ?? Self.ports[scheme]
    }

    /// The origin as browsers send it: without the port that its scheme has anyway (WHATWG HTML, "ASCII serialisation").
    public var description: String {
        let port = port == Self.ports[scheme] ? nil : port
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }

    private static let ports: [String: UInt16] = ["http": 80, "https": 443]

    private static func isSchemeByte(_ byte: UInt8) -> Bool { isHostByte(byte, and: "+-.") }

    private static func isHostByte(_ byte: UInt8) -> Bool { isHostByte(byte, and: "-._:[]") }

    private static func isHostByte(_ byte: UInt8, and marks: StaticString) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: marks.withUTF8Buffer { $0.contains(byte) }
        }
    }
}
