internal import CHTTPShim

extension Problem {
    /// What the shim refused by itself.
    init(_ refused: http_refused) {
        let words = Self.words(refused)
        self.init(words.slug, status: Int(refused.status), title: words.title, detail: words.detail)
    }

    private static func words(_ refused: http_refused) -> (slug: String, title: String, detail: String) {
        switch refused.reason {
        case HTTP_REFUSAL_NOT_FOUND:
            ("not-found", "Not found", "There is nothing at this path. GET / lists what there is.")
        case HTTP_REFUSAL_METHOD_NOT_ALLOWED:
            (
                "method-not-allowed", "Method not allowed",
                "This path answers \(refused.allow.map { String(cString: $0) } ?? "other methods") only."
            )
        case HTTP_REFUSAL_BODY_TOO_LARGE:
            ("body-too-large", "Body too large", "The body is over this server's limit: send less.")
        case HTTP_REFUSAL_HEADER_TOO_LARGE:
            ("header-too-large", "Header too large", "The header is over this server's limit: send fewer cookies.")
        case HTTP_REFUSAL_TARGET:
            ("malformed-path", "Malformed path", "The path is not percent-encoded as it should be.")
        case HTTP_REFUSAL_FRAMING:
            (
                "ambiguous-length", "Ambiguous length",
                "Give the body's length once: one Content-Length, or Transfer-Encoding: chunked."
            )
        case HTTP_REFUSAL_HOST: ("malformed-host", "Malformed host", "Send exactly one Host field.")
        case HTTP_REFUSAL_FIELD:
            ("malformed-header", "Malformed header", "A header field's name or value has a character it must not have.")
        case HTTP_REFUSAL_FULL: ("server-full", "Server full", "Too many clients at the moment: try again shortly.")
        case HTTP_REFUSAL_STOPPING: ("stopping", "Stopping", "This server is being stopped: try again shortly.")
        default: ("bad-request", "Bad request", "The request is malformed.")
        }
    }
}
