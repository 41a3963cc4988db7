import HTTP

/// The names under which clients may ask a server.
///
/// Another site can let its own name point to this machine (DNS rebinding). A browser then takes the answers for that
/// site's own, but its requests still have the name in `Host`. An IP address cannot be rebound and is always allowed.
public struct AllowedHosts: Sendable, Hashable {
    /// In lower case, one with a dot in front for all names that end so; nil for any name.
    private let names: [[UInt8]]?

    /// Any name.
    public static let any = AllowedHosts(names: nil)

    /// The names that browsers resolve to this machine: `localhost` and `*.localhost`.
    public static let loopback = AllowedHosts(names: ["localhost", ".localhost"].map { Array($0.utf8) })

    private init(names: [[UInt8]]?) { self.names = names }

    /// Allows these names: `example.org`, `*.example.org` for all names that end so, `*` for any.
    ///
    /// - Returns: nil where one of them is not such a name, as with a scheme or a port.
    public init?(_ names: [some StringProtocol]) {
        let plain = names.map { Array(($0.hasPrefix("*.") ? String($0.dropFirst()) : String($0)).lowercased().utf8) }
        let areSound = zip(names, plain).allSatisfy { name, plain in
            plain.count > 1 && name.first != "." && plain.allSatisfy(\.isOfName) || name == "*"
        }
        guard areSound else { return nil }
        self.init(names: names.contains("*") ? nil : plain)
    }

    /// - Throws: ``Problem``, 421, for a request under a name that is not allowed.
    func check(_ request: Request) throws(Problem) {
        if names == nil { return }
        var forwarded = request.forwardedHost
        // HTTP/1.0 may leave Host out.
        let isAllowed =
            forwarded?.withUTF8 { allow(UnsafeRawBufferPointer($0)) } ?? request.header(.host) { allow($0) } ?? true
        guard isAllowed else { throw ProblemType.misdirectedRequest.problem() }
    }

    /// Whether clients may ask under the name of a `Host` field; the port does not matter.
    func allow(_ host: UnsafeRawBufferPointer) -> Bool {
        // In brackets is an IPv6 address (RFC 3986, section 3.2.2).
        guard let names, host.first != UInt8(ascii: "[") else { return true }
        var name = host.prefix { $0 != UInt8(ascii: ":") }
        if name.last?.isDigit == true, IPAddress(UnsafeRawBufferPointer(rebasing: name)) != nil { return true }
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        return names.contains { allowed in
            let isSuffix = allowed.first == UInt8(ascii: ".")
            guard isSuffix ? name.count > allowed.count : name.count == allowed.count else { return false }
            return name.suffix(allowed.count).elementsEqual(allowed) { $0.lowercased == $1 }
        }
    }
}

extension UInt8 {
    /// `a` to `z`, `A` to `Z`.
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    fileprivate var isOfName: Bool { isLetter || isDigit || "-._".utf8.contains(self) }
}

/// The origin of a page: scheme, host and port (RFC 6454), in the one spelling that browsers use.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin in lower case, without the port that its scheme has anyway.
    public let description: String

    /// In lower case, as `https`.
    var scheme: String { String(description.prefix { $0 != ":" }) }

    /// Reads an origin, like `https://app.example.org` or `capacitor://localhost`.
    ///
    /// - Returns: nil where the text is malformed or says more, such as a path, and for `null`.
    public init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        let parts = text.split(separator: "://", omittingEmptySubsequences: false)
        let isSound = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-._:[]".utf8.contains($0) }
        }
        guard parts.count == 2, isSound else { return nil }
        let port = ["http": ":80", "https": ":443"][parts[0]] ?? "-"
        description = text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
}

// Tells requests of other sites' pages from those of our own.
//
// A browser adds a cookie by itself, and anybody may use the public session. So neither proves that the page behind a
// request is ours. The browser says where a request comes from: `Sec-Fetch-Site` (Fetch Metadata), or over plain HTTP and
// in older browsers only `Origin` (RFC 6454). A Bearer token is proof enough: only a script that has it can send it.
extension Service {
    /// Whether a request comes from a page of this host, or from no page.
    static func isOurs(_ request: Request) -> Bool {
        // A field that is there twice is a list, which neither comparison accepts.
        if let site = request.header(.secFetchSite) { return site == "same-origin" || site == "none" }
        guard let text = request.header(.origin) else { return true }
        guard let origin = WebOrigin(text), let host = request.forwardedHost ?? request.header(.host) else {
            return false
        }
        // Without X-Forwarded-Proto, a proxy may have taken TLS off, so the scheme says nothing.
        return origin == WebOrigin("\(request.forwardedScheme ?? origin.scheme)://\(host)")
    }

    /// The fields by which a page of an allowed origin may read the answer; none for another request.
    ///
    /// See WHATWG Fetch, section 3.2, "CORS protocol". Access-Control-Allow-Credentials is never sent: pages of other origins
    /// show a token and never a cookie.
    func fieldsForOrigin(of request: Request) -> [Header] {
        guard !options.allowedOrigins.isEmpty, let origin = request.header(.origin).flatMap({ WebOrigin($0) }),
            options.allowedOrigins.contains(origin)
        else { return [] }
        let exposed = "ETag, Location, Request-Id, Retry-After, Idempotency-Replayed, Accept-Patch"
        return [
            Header("Access-Control-Allow-Origin", origin.description), Header("Vary", "Origin"),
            Header("Access-Control-Expose-Headers", exposed),
        ]
    }

    /// For each path the answer to a browser's preflight request; none where no origin is allowed.
    func preflights(of routes: [Route]) -> [Route] {
        guard !options.allowedOrigins.isEmpty else { return [] }
        let headers = [
            Header("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE"),
            Header(
                "Access-Control-Allow-Headers",
                "Accept-Language, Authorization, Bindery-Session, Content-Type, Idempotency-Key, If-Match, "
                    + "If-None-Match, Last-Event-ID"),
            // Two hours, the longest that Chromium keeps it.
            Header("Access-Control-Max-Age", "7200"),
        ]
        // Another origin gets no Access-Control-Allow-Origin, so its browser stops there.
        return Set(routes.map(\.template)).map { template in
            route(.options, template) { $1.send(Response(status: 204, headers: headers)) }
        }
    }
}
