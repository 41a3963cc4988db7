import Entities
import HTTP

extension Request {
    /// The value of a field that a request may have once; nil if it is absent.
    ///
    /// - Throws: ``Problem``, 400, if the request repeats the field.
    func single(_ name: RequestHeader) throws(Problem) -> String? {
        guard let value = header(name) else { return nil }
        guard !isRepeated(name) else { throw ProblemType.malformedHeader.problem("Send \(name.rawValue) once.") }
        return value
    }

    /// The JSON body, or an empty body.
    ///
    /// - Throws: ``Problem``, 415, if `Content-Type` does not say JSON, or the body has a `Content-Encoding`.
    func jsonBody() throws(Problem) -> [UInt8] {
        let body = body
        if body.isEmpty { return body }
        if let coding = header(.contentEncoding), coding.lowercased() != "identity" {
            throw ProblemType.notJson.problem(
                "Send the body as it is, without Content-Encoding.", headers: [Header("Accept-Encoding", "identity")])
        }
        let type = mediaType
        guard type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json") else {
            throw ProblemType.notJson.problem()
        }
        return body
    }

    /// The media type of the body, in lower case without parameters; empty if it is absent or repeated.
    ///
    /// JSON has no charset, but many clients send one (RFC 8259, sections 8.1 and 11).
    var mediaType: String {
        guard !isRepeated(.contentType), let field = header(.contentType) else { return "" }
        return String(Substring(field.prefix { $0 != ";" }).trimmed).lowercased()
    }
}

/// The entity tags of an `If-Match` or `If-None-Match` field (RFC 9110, sections 13.1.1 and 13.1.2).
struct EntityTags {
    /// Whether the field is `*`.
    let isAny: Bool
    /// The tags without quotes and `W/`.
    private let tags: [(opaque: Substring, isWeak: Bool)]

    /// Reads a field of a request; nil if it is absent, and an empty list matches nothing.
    ///
    /// - Throws: ``Problem``, 400, if the field is neither `*` nor a list of entity tags.
    init?(_ name: RequestHeader, of request: Request) throws(Problem) {
        guard let field = request.header(name) else { return nil }
        // A list may have empty elements (RFC 9110, section 5.6.1.2). This server's tags have no comma.
        let items = field.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
        isAny = items == ["*"]
        tags = items.compactMap { item in
            let isWeak = item.hasPrefix("W/")
            let quoted = item.dropFirst(isWeak ? 2 : 0).split(separator: "\"", omittingEmptySubsequences: false)
            return quoted.count == 3 && quoted[0].isEmpty && quoted[2].isEmpty ? (quoted[1], isWeak) : nil
        }
        guard isAny || tags.count == items.count else {
            throw ProblemType.malformedHeader.problem(
                "If-Match and If-None-Match take * or entity tags in double quotes, separated by commas.")
        }
    }

    /// The tags that `If-Match` compares strongly (RFC 9110, section 8.8.3.2); nil for `*`.
    var stamps: [Stamp]? { isAny ? nil : tags.compactMap { $0.isWeak ? nil : Stamp(String($0.opaque)) } }

    /// Whether `If-None-Match` matches, by weak comparison.
    ///
    /// - Parameter tag: without quotes.
    func matchWeakly(_ tag: String) -> Bool { isAny || tags.contains { $0.opaque == tag } }
}
