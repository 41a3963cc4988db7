internal import CHTTPShim

extension Problem {
    /// A request that the shim refuses.
    init(refused request: http_request, limits: ServerLimits) {
        switch request.refusal {
        case HTTP_REFUSAL_NOT_FOUND:
            self.init(404, "not-found", "There is nothing at this path. GET / lists what there is.")
        case HTTP_REFUSAL_METHOD_NOT_ALLOWED:
            let allow = withUnsafeBytes(of: request.allow) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            self.init(405, "method-not-allowed", "This path answers \(allow) only.")
            headers = [Response.Header(.allow, allow)]
        case HTTP_REFUSAL_TARGET:
            self.init(400, "malformed-path", "Percent-encode what RFC 3986 does not allow in a path or query.")
        case HTTP_REFUSAL_HOST:
            self.init(400, "malformed-host", "Send exactly one Host field: the host of the target, and its port.")
        case HTTP_REFUSAL_FRAMING:
            self.init(
                400, "ambiguous-length",
                "Give the body's length once: one Content-Length of digits, or in HTTP/1.1 Transfer-Encoding: chunked.")
        case HTTP_REFUSAL_BODY_TOO_LARGE:
            self.init(
                413, "body-too-large",
                "A body may have \(limits.bodyBytes) bytes (bodyBytes; --max-body): send less.")
        case HTTP_REFUSAL_TARGET_TOO_LONG:
            self.init(414, "target-too-long", "A path with its query may have \(limits.targetBytes) bytes.")
        case HTTP_REFUSAL_EXPECTATION:
            self.init(417, "expectation-failed", "The only expectation that this server meets is 100-continue.")
        case HTTP_REFUSAL_ADDRESS_FULL:
            self.init(
                429, "too-many-connections",
                "Your address has \(limits.connectionsPerAddress) connections, and may have no more "
                    + "(connectionsPerAddress; --max-connections-per-address). Close some, or use one for many requests."
            )
        case HTTP_REFUSAL_HEADER_TOO_LARGE:
            self.init(
                431, "header-too-large",
                "A request's line and header fields may have \(limits.headerBytes) bytes, and fewer with many fields or "
                    + "cookies (headerBytes; --max-head). Send fewer or shorter ones.")
        case HTTP_REFUSAL_CODING:
            self.init(501, "not-implemented", "The only Transfer-Encoding that this server understands is chunked.")
        case HTTP_REFUSAL_VERSION:
            self.init(505, "version-not-supported", "Use HTTP/1.1 or HTTP/1.0.")
        case HTTP_REFUSAL_FULL:
            self.init(503, "server-full", "The server has too many clients at the moment. Try again shortly.")
        default:
            self.init(
                400, "bad-request",
                "The head is ambiguous. Send METHOD, target and HTTP/1.1 with one space between them, then fields as name, "
                    + "colon and value, without control characters. Each line ends in CRLF.")
        }
        closesConnection = status != 404 && status != 405
    }

    /// The server stops before the request is answered.
    static var stopping: Problem {
        var problem = Problem(
            503, "stopping",
            "The server was stopped before the request was answered. It may have begun, and what it changed here may be "
                + "stored or not. Look before you send it again.")
        problem.closesConnection = true
        return problem
    }

    /// The title is the slug in words.
    private init(_ status: Int, _ slug: String, _ detail: String) {
        let title = slug.prefix(1).uppercased() + slug.dropFirst().replacing("-", with: " ")
        let isTransient = status == 429 || status == 503
        let headers = isTransient ? [Response.Header(.retryAfter, "\(Int.random(in: 1...5))")] : []
        self.init(slug, status: status, title: title, detail: detail, headers: headers)
    }
}
