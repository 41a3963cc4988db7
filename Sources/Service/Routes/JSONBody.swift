import HTTP

extension Request {
    /// The body, if it is declared as JSON in UTF-8 and has no coding.
    ///
    /// - Throws: ``Problem``, 415.
    func jsonBody() throws(Problem) -> [UInt8] {
        let body = body
        guard !body.isEmpty else { return body }
        if let coding = header(.contentEncoding), isRepeated(.contentEncoding) || coding.lowercased() != "identity" {
            throw ProblemType.notJson.problem(
                "Send the body as it is, without Content-Encoding.", headers: [Header("Accept-Encoding", "identity")])
        }
        let type = mediaType
        guard type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json") else {
            throw ProblemType.notJson.problem()
        }
        return body
    }

    /// The media type of the body, in lower case without parameters; empty where it is missing, doubled or not UTF-8.
    ///
    /// JSON has no charset, but many clients name it (RFC 8259, sections 8.1 and 11).
    var mediaType: String {
        guard !isRepeated(.contentType), let field = header(.contentType) else { return "" }
        let parts = field.lowercased().split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        let charsets = parts.dropFirst().filter { $0.hasPrefix("charset") }.map { $0.replacing("\"", with: "") }
        let isUTF8 = charsets.allSatisfy { ["charset=utf-8", "charset=utf8", "charset=us-ascii"].contains($0) }
        return isUTF8 ? String(parts[0]) : ""
    }
}
