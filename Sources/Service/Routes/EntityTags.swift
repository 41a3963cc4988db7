import HTTP

/// The entity tags of an `If-Match` or `If-None-Match` header (RFC 9110, sections 13.1.1 and 13.1.2).
struct EntityTags {
    private let isAny: Bool
    private let tags: [(opaque: Substring, isWeak: Bool)]

    /// Reads a request's header; nil where there is none.
    ///
    /// - Throws: ``Problem``, 400, where it is neither `*` nor a list of entity tags.
    init?(_ name: RequestHeader, of request: Request) throws {
        guard let header = request.header(name) else { return nil }
        try self.init(header)
    }

    /// Reads a header.
    ///
    /// - Throws: ``Problem``, 400, where it is neither `*` nor a list of entity tags.
    init(_ header: String) throws {
        // Byte by byte: this is read on an event loop, and may be as long as a head.
        var rest = header.utf8.drop(while: Self.isSpace)
        isAny = rest.first == UInt8(ascii: "*") && rest.dropFirst().allSatisfy(Self.isSpace)
        var tags: [(Substring, Bool)] = []
        while !isAny {
            // A list may have empty elements (RFC 9110, section 5.6.1.2).
            rest = rest.drop { Self.isSpace($0) || $0 == Self.comma }
            if rest.isEmpty { break }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == Self.quote, let end = rest.dropFirst().firstIndex(of: Self.quote) else {
                throw Self.malformed
            }
            tags.append((Substring(rest[...end]), isWeak))
            rest = rest[rest.index(after: end)...].drop(while: Self.isSpace)
            guard rest.isEmpty || rest.first == Self.comma else { throw Self.malformed }
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

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
