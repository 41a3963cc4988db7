internal import CHTTPShim

extension Problem {
    /// What the shim refused by itself.
    ///
    /// - Parameter paths: the templates of what there is, to name the one that was probably meant.
    init(_ refused: http_refused, among paths: [String]) {
        let words = Self.words(refused, among: paths)
        self.init(words.slug, status: Int(refused.status), title: words.title, detail: words.detail)
    }

    /// The kind of problem that a refusal of the shim is; nil where nothing was refused.
    static func slug(of refusal: http_refusal) -> String? {
        guard refusal != HTTP_REFUSAL_NONE else { return nil }
        var refused = http_refused()
        refused.reason = refusal
        return words(refused, among: []).slug
    }

    private static func words(
        _ refused: http_refused, among paths: [String]
    ) -> (slug: String, title: String, detail: String) {
        switch refused.reason {
        case HTTP_REFUSAL_NOT_FOUND:
            ("not-found", "Not found", notFound(String(refused.path) ?? "", among: paths))
        case HTTP_REFUSAL_METHOD_NOT_ALLOWED:
            (
                "method-not-allowed", "Method not allowed",
                "This path answers \(refused.allow.map { String(cString: $0) } ?? "other methods") only."
            )
        case HTTP_REFUSAL_REQUEST_LINE:
            (
                "bad-request", "Bad request",
                "A request begins with METHOD, target and HTTP/1.1, one space between them, and its lines end in CRLF."
            )
        case HTTP_REFUSAL_TARGET:
            (
                "malformed-path", "Malformed path",
                "The target is a path and perhaps a query: percent-encode in either what RFC 3986 does not allow there. There "
                    + "is no CONNECT."
            )
        case HTTP_REFUSAL_FIELD:
            (
                "malformed-header", "Malformed header",
                "A header field is a name, a colon and a value on one line, without control characters."
            )
        case HTTP_REFUSAL_HOST:
            (
                "malformed-host", "Malformed host",
                "Send exactly one Host field: the host that is asked for, as in a target that names one, and its port."
            )
        case HTTP_REFUSAL_FRAMING:
            (
                "ambiguous-length", "Ambiguous length",
                "Give the body's length once: one Content-Length of digits, or in HTTP/1.1 Transfer-Encoding: chunked."
            )
        case HTTP_REFUSAL_CHUNK:
            ("bad-request", "Bad request", "The chunked body does not keep to RFC 9112, section 7.1.")
        case HTTP_REFUSAL_SLOW:
            ("slow-request", "Slow request", "The request took too long to arrive. Send it again on a new connection.")
        case HTTP_REFUSAL_BODY_TOO_LARGE:
            (
                "body-too-large", "Body too large",
                "A body may have \(refused.limit) bytes (bodyBytes; --max-body): send less."
            )
        case HTTP_REFUSAL_TARGET_TOO_LONG:
            ("target-too-long", "Target too long", "A path with its query may have \(refused.limit) bytes.")
        case HTTP_REFUSAL_EXPECTATION:
            ("expectation-failed", "Expectation failed", "The only expectation met here is 100-continue.")
        case HTTP_REFUSAL_HEADER_TOO_LARGE:
            (
                "header-too-large", "Header too large",
                "A request's line and header fields may have \(refused.limit) bytes (headerBytes; --max-head): send "
                    + "fewer or shorter fields, such as cookies."
            )
        case HTTP_REFUSAL_CODING:
            ("not-implemented", "Not implemented", "The only Transfer-Encoding understood here is chunked.")
        case HTTP_REFUSAL_VERSION:
            ("version-not-supported", "Version not supported", "Speak HTTP/1.1 or HTTP/1.0.")
        case HTTP_REFUSAL_ADDRESS_FULL:
            (
                "too-many-connections", "Too many connections",
                "Your address has as many connections as it may, \(refused.limit) (connectionsPerAddress; "
                    + "--max-connections-per-address): close some, or use one for several requests."
            )
        case HTTP_REFUSAL_FULL: ("server-full", "Server full", "Too many clients at the moment: try again shortly.")
        case HTTP_REFUSAL_STOPPING: ("stopping", "Stopping", "This server is being stopped: try again shortly.")
        case HTTP_REFUSAL_CUT_OFF:
            (
                "stopping", "Stopping",
                "This server was stopped before the request was answered, and cut it off. It may have begun: what it did "
                    + "outside of this server is done then, and what it changed here may be stored or not. Look before you "
                    + "send it again."
            )
        default: ("bad-request", "Bad request", "The request is malformed.")
        }
    }

    private static func notFound(_ path: String, among paths: [String]) -> String {
        guard let meant = Nearest.path(to: path, among: paths), meant != path else {
            return "There is nothing at this path. GET / lists what there is."
        }
        return "There is nothing at this path; did you mean \(meant)? GET / lists what there is."
    }
}
