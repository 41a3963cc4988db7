import Entities
import HTTP

/// The session for which a request speaks, by its credentials.
enum Caller {
    /// The token of `Authorization: Bearer` (RFC 6750, section 2.1).
    case bearer(SessionToken)
    /// The token of the cookie, which a browser adds by itself (RFC 6265).
    case cookie(SessionToken)
    /// No token: the public session.
    case anyone

    /// The token; nil in the public session.
    var token: SessionToken? {
        switch self {
        case .bearer(let token), .cookie(let token): token
        case .anyone: nil
        }
    }

    /// Whether no other site can make a browser send the request.
    var isProven: Bool { if case .bearer = self { true } else { false } }

    /// Reads the credentials of a request.
    ///
    /// - Throws: ``Problem``: 401 for a token that ``SessionToken`` refuses, 400 for a field or cookie that is there twice.
    init(_ request: Request, cookie name: String) throws(Problem) {
        if let field = try request.single(.authorization, "Authorization"), let token = try Self.token(in: field) {
            self = .bearer(token)
        } else if let cookies = request.header(.cookie), let token = try Self.token(of: name, in: cookies) {
            self = .cookie(token)
        } else {
            self = .anyone
        }
    }

    /// The token of Bearer credentials; nil for Basic ones, which browsers and proxies add by themselves.
    private static func token(in credentials: String) throws(Problem) -> SessionToken? {
        let words = credentials.utf8.split(whereSeparator: \.isBlank)
        if words.count == 2, words[0].spell("basic"), !words[1].contains(UInt8(ascii: ",")) { return nil }
        guard words.count == 2, words[0].spell("bearer"), let token = SessionToken(Substring(words[1])) else {
            throw ProblemType.sessionUnknown.problem()
        }
        return token
    }

    /// The token in the session's cookie; nil where there is no such cookie.
    private static func token(of name: String, in cookies: String) throws(Problem) -> SessionToken? {
        let start = Array("\(name)=".utf8)
        let values = cookies.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0).trimmed.utf8 }
            .filter { $0.starts(with: start) }.map { Substring($0.dropFirst(start.count)) }
        guard let value = values.first else { return nil }
        guard values.allSatisfy({ $0 == value }) else {
            throw ProblemType.malformedHeader.problem("Cookie has \(name) twice, with different values. Delete one.")
        }
        guard let token = SessionToken(value) else { throw ProblemType.sessionUnknown.problem() }
        return token
    }
}

extension Request {
    /// The value of a field that must not be there twice; nil where there is none.
    ///
    /// - Parameter spelling: the field's name, for the problem.
    /// - Throws: ``Problem``, 400.
    func single(_ name: RequestHeader, _ spelling: String) throws(Problem) -> String? {
        guard let value = header(name) else { return nil }
        guard !isRepeated(name) else { throw ProblemType.malformedHeader.problem("Send \(spelling) once.") }
        return value
    }
}

extension Sequence<UInt8> {
    /// Whether these bytes are a word, in any case of ASCII.
    ///
    /// - Parameter word: in lower case.
    func spell(_ word: String) -> Bool { elementsEqual(word.utf8) { $0.lowercased == $1 } }
}
