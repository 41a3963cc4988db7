internal import CHTTPShim
import Foundation

/// An error of this service in the words of RFC 9457, sent as `application/problem+json`.
///
/// Its texts reach the client: no secret, no path of the machine and no text of a user belongs in them.
package struct Problem: Error, Sendable {
    /// Names the kind; the `type` is `/problems/` and this.
    package var slug: String
    /// The status, 400 to 599.
    package var status: Int
    /// The kind of problem in a few words.
    package var title: String
    /// What happened here and what to do about it.
    package var detail: String
    /// Members beside those of RFC 9457, in this order, each with its value as JSON text.
    package var members: [(name: String, json: [UInt8])]
    /// Header fields of the answer, such as Retry-After.
    package var headers: [Response.Header]
    /// What led to it, for the log alone: names of this program, never a text of the caller.
    package var cause: String?

    package init(
        _ slug: String, status: Int, title: String, detail: String,
        members: [(name: String, json: [UInt8])] = [], headers: [Response.Header] = []
    ) {
        (self.slug, self.status, self.title, self.detail) = (slug, status, title, detail)
        (self.members, self.headers) = (members, headers)
    }

    /// The problem for an error that is none; it says nothing about the error.
    package static var internalError: Problem {
        Problem(
            "internal-error", status: 500, title: "Internal error",
            detail: "Something went wrong here. Try again; if it stays, report it with the Request-Id.")
    }

    /// The problem for an unforeseen error.
    ///
    /// The log gets its type and its case or code, not its text, which may hold anything.
    package static func `internal`(causedBy error: any Error) -> Problem {
        var problem = internalError
        let (type, bridged, value): (_, _, Any) = (String(reflecting: type(of: error)), error as NSError, error)
        let hasOwnText = value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        // Swift's own text of an enumeration is the name of the case, and its values in parentheses.
        let isCase = Mirror(reflecting: error).displayStyle == .enum && !hasOwnText
        problem.cause =
            isCase ? "\(type).\("\(error)".prefix { $0 != "(" })" : "\(type) (\(bridged.domain) \(bridged.code))"
        return problem
    }

    /// The answer; `instance` is the request's id.
    package func response(instance: String) -> Response {
        let fields = [
            Response.Header("Content-Type", "application/problem+json"), Response.Header("Cache-Control", "no-store"),
        ]
        var response = Response(status: status, headers: fields + headers, body: .bytes(json(instance: instance)))
        (response.problem, response.cause) = (slug, cause)
        return response
    }

    /// The problem as JSON text, the members in the order of RFC 9457.
    func json(instance: String) -> [UInt8] {
        var json = Array(#"{"type":\#(Self.quoted("/problems/" + slug)),"title":\#(Self.quoted(title)),"#.utf8)
        json += #""status":\#(status),"detail":\#(Self.quoted(detail)),"instance":\#(Self.quoted(instance))"#.utf8
        for member in members { json += ",\(Self.quoted(member.name)):".utf8 + member.json }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A String always encodes. An empty text would still leave the JSON well-formed.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? #""""#
    }
}

extension Problem {
    /// A request that the server refuses by itself; ``Server`` has it explained.
    init(refused request: http_request) {
        let slug =
            switch request.refusal {
            case 404: "not-found"
            case 405: "method-not-allowed"
            case 413: "body-too-large"
            case 414: "target-too-long"
            case 429: "too-many-connections"
            case 431: "header-too-large"
            case 501: "not-implemented"
            case 503: "server-full"
            case 505: "version-not-supported"
            default: "bad-request"
            }
        self.init(slug, status: Int(request.refusal), title: slug, detail: "")
        if status == 405 { headers = [Response.Header("Allow", String(array: request.allow))] }
        if status == 429 || status == 503 { headers = [.retryAfter] }
    }

    /// The server stops before the request is answered.
    static var stopping: Problem {
        Problem(
            "stopping", status: 503, title: "Stopping",
            detail: "The server was stopped before the request was answered. It may have begun, and what it changed "
                + "here may be stored or not. Look before you send it again.", headers: [.retryAfter])
    }
}

extension Response.Header {
    /// A few seconds at random, so that clients do not come back together.
    fileprivate static var retryAfter: Response.Header { .init("Retry-After", "\(Int.random(in: 1...5))") }
}
