import HTTP
import Sessions

extension IdempotentRequest {
    /// Reads a request's `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header); nil where there is none.
    ///
    /// - Parameters:
    ///   - id: the session that the request speaks of.
    ///   - token: the session's, given where there is a key; nil in the public session.
    /// - Throws: ``Problem``, 400, for a key that is not 1 to 255 visible characters, in double quotes or not.
    init?(_ request: Request, in id: SessionID, token: @autoclosure () throws -> SessionToken?) throws {
        guard let header = try request.single(.idempotencyKey, "Idempotency-Key") else { return nil }
        guard let key = Self.key(in: header) else {
            throw ProblemType.malformedHeader.problem(
                "An Idempotency-Key has 1 to 255 visible ASCII characters, in double quotes or, without a comma, not; no "
                    + "double quote is inside. A new UUID will do. Nothing was begun.")
        }
        self.init(
            key: key, in: id, token: id == .public ? nil : try token(), path: request.path, body: request.body
        ) { [requestID = request.id] in Answer($0, requestID: requestID) }
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
    fileprivate init(_ result: IdempotentRequest.Result, requestID: String) {
        switch result {
        case .done(let view):
            self.init(status: 200, entityTag: view.entityTag, contentType: "application/json", body: view.json)
        case .disabled(let detail, let view):
            self.init(Problem(.refused(.disabled(detail), view: view)), entityTag: view.entityTag, requestID: requestID)
        case .failed(let error):
            self.init(Problem(underKey: error), entityTag: "", requestID: requestID)
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
