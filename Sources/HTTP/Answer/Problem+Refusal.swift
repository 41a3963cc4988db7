internal import CHTTPShim

extension Problem {
    /// A request that the shim refuses.
    ///
    /// - Parameter paths: what a 404 may suggest.
    init(refused: http_request, limits: ServerLimits, among paths: [String]) {
        let (status, slug, title, detail) = Self.words(refused.refusal, limits)
        self.init(slug, status: status, title: title, detail: detail)
        switch refused.refusal {
        case HTTP_REFUSAL_NOT_FOUND: self = .notFound(String(utf8: refused.path) ?? "", among: paths)
        case HTTP_REFUSAL_METHOD_NOT_ALLOWED:
            let allow = withUnsafeBytes(of: refused.allow) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            self.detail = "This path answers \(allow) only."
            headers = [Response.Header(.allow, allow)]
        case HTTP_REFUSAL_ADDRESS_FULL, HTTP_REFUSAL_FULL, HTTP_REFUSAL_MEMORY:
            headers = [Response.Header(.retryAfter, "\(Int.random(in: 1...5))")]
        default: break
        }
        closesConnection = self.status != 404 && self.status != 405
    }

    private static func words(_ refusal: http_refusal, _ limits: ServerLimits) -> (Int, String, String, String) {
        switch refusal {
        case HTTP_REFUSAL_METHOD_NOT_ALLOWED: (405, "method-not-allowed", "Method not allowed", "")
        case HTTP_REFUSAL_TARGET:
            (400, "malformed-path", "Malformed path", "Percent-encode what RFC 3986 does not allow in a path or query.")
        case HTTP_REFUSAL_HOST:
            (
                400, "malformed-host", "Malformed host",
                "Send exactly one Host field: the host of the target, and its port."
            )
        case HTTP_REFUSAL_FRAMING:
            (
                400, "ambiguous-length", "Ambiguous length",
                "Give the body's length once: one Content-Length of digits, or in HTTP/1.1 Transfer-Encoding: chunked."
            )
        case HTTP_REFUSAL_BODY_TOO_LARGE:
            (
                413, "body-too-large", "Body too large",
                "A body may have \(limits.bodyBytes) bytes (bodyBytes; --max-body): send less."
            )
        case HTTP_REFUSAL_TARGET_TOO_LONG:
            (414, "target-too-long", "Target too long", "A path with its query may have \(limits.targetBytes) bytes.")
        case HTTP_REFUSAL_EXPECTATION:
            (
                417, "expectation-failed", "Expectation failed",
                "The only expectation that this server meets is 100-continue."
            )
        case HTTP_REFUSAL_ADDRESS_FULL:
            (
                429, "too-many-connections", "Too many connections",
                "Your address has \(limits.connectionsPerAddress) connections, and may have no more "
                    + "(connectionsPerAddress; --max-connections-per-address). Close some, or use one for many requests."
            )
        case HTTP_REFUSAL_HEADER_TOO_LARGE:
            (
                431, "header-too-large", "Header too large",
                "A request's line and header fields may have \(limits.headerBytes) bytes, and fewer with many fields or "
                    + "cookies (headerBytes; --max-head). Send fewer or shorter ones."
            )
        case HTTP_REFUSAL_CODING:
            (
                501, "not-implemented", "Not implemented",
                "The only Transfer-Encoding that this server understands is chunked."
            )
        case HTTP_REFUSAL_VERSION: (505, "version-not-supported", "Version not supported", "Use HTTP/1.1 or HTTP/1.0.")
        case HTTP_REFUSAL_FULL, HTTP_REFUSAL_MEMORY:
            (503, "server-full", "Server full", "The server has too many clients at the moment. Try again shortly.")
        default:
            (
                400, "bad-request", "Bad request",
                "The head is ambiguous. Send METHOD, target and HTTP/1.1 with one space between them, then fields as name, "
                    + "colon and value, without control characters. Each line ends in CRLF."
            )
        }
    }

    private static func notFound(_ path: String, among paths: [String]) -> Problem {
        let hint = Nearest.name(to: path, among: paths).map { "; did you mean \($0)?" } ?? "."
        return Problem(
            "not-found", status: 404, title: "Not found",
            detail: "There is nothing at this path\(hint) GET / lists what there is.")
    }

    /// The server stops before the request is answered.
    static var stopping: Problem {
        var problem = Problem(
            "stopping", status: 503, title: "Stopping",
            detail:
                "The server was stopped before the request was answered. It may have begun, and what it changed here may "
                + "be stored or not. Look before you send it again.",
            headers: [Response.Header(.retryAfter, "1")])
        problem.closesConnection = true
        return problem
    }

    static var malformedQuery: Problem {
        Problem(
            "malformed-query", status: 400, title: "Malformed query",
            detail: "The query is not percent-encoded UTF-8: write each % as %25 and check the digits after it.")
    }
}

/// Finds the name or path that a caller probably meant.
package enum Nearest {
    /// The known name with the fewest insertions and removals of characters; nil if it takes more than a quarter of its length.
    ///
    /// Case and a slash at the end do not count. It looks at no name of over 48 characters.
    package static func name(to misspelt: String, among known: [String]) -> String? {
        func plain(_ name: String) -> [UInt8] {
            Array(name.lowercased().utf8.reversed().drop { $0 == UInt8(ascii: "/") })
        }
        guard misspelt.utf8.count <= 48 else { return nil }
        let wanted = plain(misspelt)
        let nearest = known.map { ($0, wanted.difference(from: plain($0)).count) }.min { $0.1 < $1.1 }
        return nearest.flatMap { $0.1 <= max(2, $0.0.utf8.count / 4) && $0.0 != misspelt ? $0.0 : nil }
    }
}
