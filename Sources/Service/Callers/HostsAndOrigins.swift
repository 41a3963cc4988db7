import HTTP

/// The host names that clients may use for a server.
///
/// Another site can point its own name to this machine (DNS rebinding). A browser then lets that site read the answers.
/// But the request still has the name in `Host`. An IP address cannot be rebound, so clients may always use it.
public struct AllowedHosts: Sendable, Hashable {
    /// In lower case, with `.NAME` for all names that end in it; nil for any name.
    private let names: [[UInt8]]?

    /// Any name.
    public static let any = AllowedHosts(names: nil)

    /// The names that browsers resolve to this machine: `localhost` and `*.localhost`.
    public static let loopback = AllowedHosts(names: ["localhost", ".localhost"].map { Array($0.utf8) })

    private init(names: [[UInt8]]?) { self.names = names }

    /// Allows these names: `example.org`, `*.example.org` for all names that end in `.example.org`, `*` for any.
    ///
    /// - Returns: nil if one of them is not a name, for example if it has a scheme or a port.
    public init?(_ names: [some StringProtocol]) {
        let plain = names.map { Array(($0.hasPrefix("*.") ? String($0.dropFirst()) : String($0)).lowercased().utf8) }
        let areSound = zip(names, plain).allSatisfy { name, plain in
            plain.count > 1 && name.first != "." && plain.allSatisfy(\.isOfName) || name == "*"
        }
        guard areSound else { return nil }
        self.init(names: names.contains("*") ? nil : plain)
    }

    /// - Throws: ``Problem``, 421, if the request uses another name.
    func check(_ request: Request) throws(Problem) {
        if names == nil { return }
        var forwarded = request.forwardedHost
        // An HTTP/1.0 request may have no Host.
        let isAllowed =
            forwarded?.withUTF8 { allow(UnsafeRawBufferPointer($0)) } ?? request.header(.host) { allow($0) } ?? true
        guard isAllowed else { throw ProblemType.misdirectedRequest.problem() }
    }

    /// Whether clients may use the name of a `Host` field; the port does not matter.
    func allow(_ host: UnsafeRawBufferPointer) -> Bool {
        // Brackets enclose an IPv6 address (RFC 3986, section 3.2.2).
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

/// The origin of a page: scheme, host and port (RFC 6454), as browsers write it.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin in lower case, without the default port of its scheme.
    public let description: String

    /// In lower case, such as `https`.
    var scheme: String { String(description.prefix { $0 != ":" }) }

    /// Reads an origin, such as `https://app.example.org` or `capacitor://localhost`.
    ///
    /// - Returns: nil for `null`, and if the text is malformed or has more parts, such as a path.
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

// Separates requests of our own pages from those of other sites.
//
// A browser adds a cookie by itself, and anybody may use the public session. So neither proves that the page behind a
// request is ours. The browser names the source of a request in `Sec-Fetch-Site` (Fetch Metadata). Older browsers, and
// all over plain HTTP, send only `Origin` (RFC 6454). A Bearer token is proof: only a script that has it can send it.
extension Service {
    /// Whether a request comes from a page of this host, or from no page.
    static func isOurs(_ request: Request) -> Bool {
        // A repeated field is a list, and neither comparison accepts a list.
        if let site = request.header(.secFetchSite) { return site == "same-origin" || site == "none" }
        guard let text = request.header(.origin) else { return true }
        guard let origin = WebOrigin(text), let host = request.forwardedHost ?? request.header(.host) else {
            return false
        }
        // Without X-Forwarded-Proto, ignore the scheme: a proxy may have ended TLS.
        return origin == WebOrigin("\(request.forwardedScheme ?? origin.scheme)://\(host)")
    }

    /// The fields that let a page of an allowed origin read the answer; none for other requests.
    ///
    /// See WHATWG Fetch, section 3.2, "CORS protocol". The server never sends Access-Control-Allow-Credentials: pages
    /// of other origins send a token, not a cookie.
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

    /// The answers to browsers' preflight requests, a route for each path; none if no origin is allowed.
    func preflights(of routes: [Route]) -> [Route] {
        guard !options.allowedOrigins.isEmpty else { return [] }
        let headers = [
            Header("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE"),
            Header(
                "Access-Control-Allow-Headers",
                "Accept-Language, Authorization, Bindery-Session, Content-Type, Idempotency-Key, If-Match, "
                    + "If-None-Match, Last-Event-ID"),
            // Chromium keeps it for two hours at most.
            Header("Access-Control-Max-Age", "7200"),
        ]
        // Another origin gets no Access-Control-Allow-Origin, so the browser does not send its request.
        return Set(routes.map(\.template)).map { template in
            route(.options, template) { $1.send(Response(status: 204, headers: headers)) }
        }
    }
}
