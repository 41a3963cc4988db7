internal import CHTTPShim
import Foundation

/// An error in the form of RFC 9457, sent as `application/problem+json`.
///
/// Its texts reach the client. They contain no secrets, no paths of this machine and no texts of users.
package struct Problem: Error, Sendable {
    /// The end of its `type`, after `/problems/`.
    package var slug: String
    /// The status, 400 to 599.
    package var status: Int
    /// The kind of problem in a few words.
    package var title: String
    /// Explains this error and the client's next step.
    package var detail: String
    /// Members beside those of RFC 9457, in this order, each with its value as JSON text.
    package var members: [(name: String, json: [UInt8])]
    /// Header fields of the answer, such as Retry-After.
    package var headers: [Response.Header]
    /// The cause, for the log alone: names of this program, no request data.
    package var cause: String?

    package init(
        _ slug: String, status: Int, title: String, detail: String,
        members: [(name: String, json: [UInt8])] = [], headers: [Response.Header] = []
    ) {
        (self.slug, self.status, self.title, self.detail) = (slug, status, title, detail)
        (self.members, self.headers) = (members, headers)
    }

    /// A 500 that says nothing about the error.
    package static var internalError: Problem {
        Problem(
            "internal-error", status: 500, title: "Internal error",
            detail: "The server failed. Try again. If it fails again, report it with the Request-Id.")
    }

    /// The problem for an unforeseen error.
    ///
    /// The log gets the type and the case or code of the error. Its text may have user data, so it is left out.
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
    /// The problem of a request that the shim refuses; ``Server/refusal`` adds the explanation.
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
    package static var stopping: Problem {
        Problem(
            "stopping", status: 503, title: "Stopping",
            detail: "The server stopped before it answered the request. The request may have begun, and its changes "
                + "may be stored. Check before you send it again.", headers: [.retryAfter])
    }
}

extension Response.Header {
    /// 1 to 5 seconds at random, so that clients do not return at the same time.
    fileprivate static var retryAfter: Response.Header { .init("Retry-After", "\(Int.random(in: 1...5))") }
}
