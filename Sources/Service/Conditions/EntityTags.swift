import HTTP

/// The entity tags of an `If-Match` or `If-None-Match` header (RFC 9110, sections 13.1.1 and 13.1.2).
struct EntityTags {
    private let isAny: Bool
    private let tags: [(opaque: Substring, isWeak: Bool)]

    /// Reads a request's header; nil where there is none.
    ///
    /// - Throws: ``Problem``, 400, where it is neither `*` nor a list of entity tags, or comes in two fields, of which
    ///   we are given the first only: half a condition is none.
    init?(_ name: RequestHeader, of request: Request) throws {
        guard let header = request.header(name) else { return nil }
        guard !request.isRepeated(name) else {
            throw ProblemType.malformedHeader.problem("Send one If-Match or If-None-Match header with all tags in it.")
        }
        try self.init(header)
    }

    /// Reads a header.
    ///
    /// - Throws: ``Problem``, 400, where it is neither `*` nor a list of entity tags.
    init(_ header: String) throws {
        var rest = Substring(header).drop(while: Self.isSpace)
        isAny = rest.prefix { !Self.isSpace($0) } == "*" && rest.dropFirst().allSatisfy(Self.isSpace)
        var tags: [(Substring, Bool)] = []
        while !isAny {
            // A list may have empty elements (RFC 9110, section 5.6.1.2).
            rest = rest.drop { Self.isSpace($0) || $0 == "," }
            if rest.isEmpty { break }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { throw Self.malformed }
            tags.append((rest[...end], isWeak))
            rest = rest[rest.index(after: end)...].drop(while: Self.isSpace)
            guard rest.isEmpty || rest.first == "," else { throw Self.malformed }
        }
        guard isAny || !tags.isEmpty else { throw Self.malformed }
        self.tags = tags
    }

    /// By strong comparison (RFC 9110, section 8.8.3.2), as `If-Match` asks.
    func matchStrongly(_ tag: String) -> Bool { isAny || tags.contains { !$0.isWeak && $0.opaque == tag } }

    /// By weak comparison, as `If-None-Match` asks.
    func matchWeakly(_ tag: String) -> Bool { isAny || tags.contains { $0.opaque == tag } }

    private static let malformed = ProblemType.malformedHeader.problem(
        "If-Match and If-None-Match take * or entity tags in double quotes, separated by commas.")

    private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
}
