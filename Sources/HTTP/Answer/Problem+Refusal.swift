internal import CHTTPShim

extension Problem {
    /// A request that the shim refuses.
    ///
    /// - Parameter paths: what a 404 may suggest.
    init(refused request: http_request, limits: ServerLimits, among paths: [String]) {
        let status: Int
        let (slug, detail): (String, String)
        var headers: [Response.Header] = []
        switch request.refusal {
        case HTTP_REFUSAL_NOT_FOUND:
            let hint = Nearest.name(to: String(utf8: request.path), among: paths).map { "; did you mean \($0)?" } ?? "."
            (status, slug) = (404, "not-found")
            detail = "There is nothing at this path\(hint) GET / lists what there is."
        case HTTP_REFUSAL_METHOD_NOT_ALLOWED:
            let allow = withUnsafeBytes(of: request.allow) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            headers = [Response.Header(.allow, allow)]
            (status, slug, detail) = (405, "method-not-allowed", "This path answers \(allow) only.")
        case HTTP_REFUSAL_TARGET:
            (status, slug) = (400, "malformed-path")
            detail = "Percent-encode what RFC 3986 does not allow in a path or query."
        case HTTP_REFUSAL_HOST:
            (status, slug) = (400, "malformed-host")
            detail = "Send exactly one Host field: the host of the target, and its port."
        case HTTP_REFUSAL_FRAMING:
            (status, slug) = (400, "ambiguous-length")
            detail =
                "Give the body's length once: one Content-Length of digits, or in HTTP/1.1 Transfer-Encoding: chunked."
        case HTTP_REFUSAL_BODY_TOO_LARGE:
            (status, slug) = (413, "body-too-large")
            detail = "A body may have \(limits.bodyBytes) bytes (bodyBytes; --max-body): send less."
        case HTTP_REFUSAL_TARGET_TOO_LONG:
            (status, slug) = (414, "target-too-long")
            detail = "A path with its query may have \(limits.targetBytes) bytes."
        case HTTP_REFUSAL_EXPECTATION:
            (status, slug) = (417, "expectation-failed")
            detail = "The only expectation that this server meets is 100-continue."
        case HTTP_REFUSAL_ADDRESS_FULL:
            (status, slug) = (429, "too-many-connections")
            detail =
                "Your address has \(limits.connectionsPerAddress) connections, and may have no more (connectionsPerAddress; "
                + "--max-connections-per-address). Close some, or use one for many requests."
        case HTTP_REFUSAL_HEADER_TOO_LARGE:
            (status, slug) = (431, "header-too-large")
            detail =
                "A request's line and header fields may have \(limits.headerBytes) bytes, and fewer with many fields or "
                + "cookies (headerBytes; --max-head). Send fewer or shorter ones."
        case HTTP_REFUSAL_CODING:
            (status, slug) = (501, "not-implemented")
            detail = "The only Transfer-Encoding that this server understands is chunked."
        case HTTP_REFUSAL_VERSION:
            (status, slug, detail) = (505, "version-not-supported", "Use HTTP/1.1 or HTTP/1.0.")
        case HTTP_REFUSAL_FULL:
            (status, slug) = (503, "server-full")
            detail = "The server has too many clients at the moment. Try again shortly."
        default:
            (status, slug) = (400, "bad-request")
            detail =
                "The head is ambiguous. Send METHOD, target and HTTP/1.1 with one space between them, then fields as name, "
                + "colon and value, without control characters. Each line ends in CRLF."
        }
        if status == 429 || status == 503 { headers = [Response.Header(.retryAfter, "\(Int.random(in: 1...5))")] }
        let title = slug.prefix(1).uppercased() + slug.dropFirst().replacing("-", with: " ")
        self.init(slug, status: status, title: title, detail: detail, headers: headers)
        closesConnection = status != 404 && status != 405
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
