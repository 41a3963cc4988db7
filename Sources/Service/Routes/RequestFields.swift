import HTTP
import Sessions

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
        var rest = header.utf8.drop(while: \.isBlank)
        isAny = rest.first == UInt8(ascii: "*") && rest.dropFirst().allSatisfy(\.isBlank)
        var tags: [(Substring, Bool)] = []
        while !isAny {
            // A list may have empty elements (RFC 9110, section 5.6.1.2).
            rest = rest.drop { $0.isBlank || $0 == Self.comma }
            if rest.isEmpty { break }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == Self.quote, let end = rest.dropFirst().firstIndex(of: Self.quote) else {
                throw Self.malformed
            }
            tags.append((Substring(rest[...end]), isWeak))
            rest = rest[rest.index(after: end)...].drop(while: \.isBlank)
            guard rest.isEmpty || rest.first == Self.comma else { throw Self.malformed }
        }
        guard isAny || !tags.isEmpty else { throw Self.malformed }
        self.tags = tags
    }

    /// By strong comparison (RFC 9110, section 8.8.3.2), as `If-Match` asks; nothing matches what cannot be shown.
    func matchStrongly(_ tag: String?) -> Bool {
        guard let tag else { return false }
        return isAny || tags.contains { !$0.isWeak && $0.opaque == tag }
    }

    /// By weak comparison, as `If-None-Match` asks.
    func matchWeakly(_ tag: String) -> Bool { isAny || tags.contains { $0.opaque == tag } }

    private static let malformed = ProblemType.malformedHeader.problem(
        "If-Match and If-None-Match take * or entity tags in double quotes, separated by commas.")

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
}

extension Request {
    /// The body, which has to be declared as JSON where there is one, in UTF-8 and without a coding: what another reader
    /// on the way would read otherwise is not read.
    ///
    /// - Throws: ``Problem``, 415.
    func jsonBody() throws -> [UInt8] {
        let body = body
        guard !body.isEmpty else { return body }
        if let coding = header(.contentEncoding),
            isRepeated(.contentEncoding) || !["", "identity"].contains(where: { coding.utf8.spell($0) })
        {
            throw ProblemType.notJSON.problem(
                "Send the body as it is, without Content-Encoding.", headers: [Header("Accept-Encoding", "identity")])
        }
        guard !isRepeated(.contentType), let type = header(.contentType).flatMap(MediaType.init), type.isJSON else {
            throw ProblemType.notJSON.problem()
        }
        guard type.isUTF8 else {
            throw ProblemType.notJSON.problem("Send JSON in UTF-8, without another charset.")
        }
        return body
    }
}

/// A media type with its parameters, as in `Content-Type`, read to the letter (RFC 9110, section 8.3.1).
///
/// A reader that stops at the first word takes `application/json, text/plain` for JSON, and the next one does not.
struct MediaType {
    /// Type and subtype, in lower case.
    let essence: String
    /// The names in lower case, the values without the quotes around them.
    let parameters: [(name: String, value: [UInt8])]

    /// Reads a field's value; nil where it is malformed.
    init?(_ field: String) {
        // Byte by byte: this is read on an event loop, and may be as long as a head.
        var rest = Array(field.utf8)[...]
        guard let type = Self.token(&rest), rest.popFirst() == UInt8(ascii: "/"), let subtype = Self.token(&rest) else {
            return nil
        }
        var parameters: [(String, [UInt8])] = []
        while !rest.isEmpty {
            rest = rest.drop(while: \.isBlank)
            guard rest.popFirst() == UInt8(ascii: ";") else { return nil }
            rest = rest.drop(while: \.isBlank)
            // There may be none behind a semicolon (section 5.6.6).
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            guard let name = Self.token(&rest), rest.popFirst() == UInt8(ascii: "="), let value = Self.value(&rest)
            else { return nil }
            parameters.append((Self.plain(name), value))
        }
        essence = Self.plain(type) + "/" + Self.plain(subtype)
        self.parameters = parameters
    }

    /// `application/json`, or a type with the suffix `+json` (RFC 6839, section 3.1).
    var isJSON: Bool {
        essence == "application/json" || (essence.hasPrefix("application/") && essence.hasSuffix("+json"))
    }

    /// Whether it names no other charset; JSON knows none, but many name it (RFC 8259, sections 8.1 and 11).
    var isUTF8: Bool {
        parameters.allSatisfy { name, value in
            switch name {
            case "charset": ["utf-8", "utf8", "us-ascii"].contains { value.spell($0) }
            // The same in another spelling (RFC 8187), to whoever knows it.
            case "charset*": false
            default: true
            }
        }
    }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let token = rest.prefix(while: isTokenByte)
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : token
    }

    /// A token, or a text in double quotes (section 5.6.4).
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else { return token(&rest).map(Array.init) }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard byte != UInt8(ascii: "\\") else {
                guard let quoted = rest.popFirst() else { return nil }
                value.append(quoted)
                continue
            }
            value.append(byte)
        }
        return nil
    }

    private static func plain(_ token: ArraySlice<UInt8>) -> String {
        String(decoding: token.map(\.lowercased), as: UTF8.self)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension IdempotentRequest {
    /// Reads a request's `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header); nil where there is none.
    ///
    /// - Parameters:
    ///   - id: the session that the request speaks of.
    ///   - token: the session's, given where there is a key; nil in the public session.
    ///   - wording: what is kept of a problem is said in the words of whoever asked first.
    /// - Throws: ``Problem``, 400, for a key that is not 1 to 255 visible characters, in double quotes or not.
    init?(
        _ request: Request, in id: SessionID, token: @autoclosure () throws -> SessionToken?, wording: ProblemWording
    ) throws {
        guard let header = try request.single(.idempotencyKey, "Idempotency-Key") else { return nil }
        guard let key = Self.key(in: header) else {
            throw ProblemType.malformedHeader.problem(
                "An Idempotency-Key has 1 to 255 visible ASCII characters, in double quotes or, without a comma, not; no "
                    + "double quote is inside. A new UUID will do. Nothing was begun.")
        }
        self.init(
            key: key, in: id, token: id == .public ? nil : try token(), path: request.path, body: request.body
        ) { Answer($0, of: request, wording: wording) }
    }

    /// A comma outside of quotes is what joins two fields: sent over another way, the key would be another one.
    private static func key(in header: String) -> String? {
        let quote = UInt8(ascii: "\"")
        var bytes = header.utf8[...]
        let isQuoted = bytes.count >= 2 && bytes.first == quote && bytes.last == quote
        if isQuoted { bytes = bytes.dropFirst().dropLast() }
        let isKey = bytes.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != quote && (isQuoted || $0 != UInt8(ascii: ","))
        }
        return isKey && (1...255).contains(bytes.count) ? String(Substring(bytes)) : nil
    }
}

extension IdempotentRequest.Answer {
    /// Puts down what the caller of an action is answered.
    fileprivate init(_ result: IdempotentRequest.Result, of request: Request, wording: ProblemWording) {
        func answer(_ problem: Problem, _ entityTag: String) -> Self {
            let problem = wording.worded(problem, for: request.header(.acceptLanguage))
            return Self(problem, entityTag: entityTag, requestID: request.id)
        }
        switch result {
        case .done(let view):
            self.init(status: 200, entityTag: view.entityTag, contentType: "application/json", body: view.json)
        case .refused(let refusal, let view):
            self = answer(Problem(refusal, view: view), view?.entityTag ?? "")
        case .failed(let error):
            self = answer(Problem(underKey: error), "")
        }
    }

    private init(_ problem: Problem, entityTag: String, requestID: String) {
        let response = problem.response(instance: requestID)
        self.init(
            status: response.status, entityTag: entityTag, contentType: "application/problem+json",
            body: response.body.bytes)
    }
}

extension Response.Body {
    /// The bytes, where it is made of them.
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

extension Response {
    /// Says an outcome, for the first time or again.
    init(_ outcome: RememberedOutcome, isReplay: Bool) {
        let replayed = isReplay ? [Header("Idempotency-Replayed", "true")] : []
        self.init(
            status: outcome.status,
            headers: [Header(.contentType, outcome.contentType), .noStore]
                + (outcome.entityTag.isEmpty ? [] : [Header(.eTag, outcome.entityTag)]) + replayed,
            body: .bytes(outcome.body))
        // As Problem writes it.
        let start = Array(#"{"type":"/problems/"#.utf8)
        guard outcome.status >= 400, outcome.body.starts(with: start) else { return }
        let slug = outcome.body.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }
        self = isProblem(
            String(decoding: slug, as: UTF8.self),
            because: status < 500 ? nil : "kept under the Idempotency-Key of an action that failed before")
    }
}
