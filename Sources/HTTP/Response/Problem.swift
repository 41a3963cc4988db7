/// An error of this service in the words of RFC 9457: thrown by a handler, sent as `application/problem+json`.
///
/// Its texts reach the client: no secret, no path of the machine and nothing a user typed belongs in them.
package struct Problem: Error, Sendable, Equatable {
    /// Names the kind; the `type` is `/problems/` and this.
    package var slug: String
    /// The status, 400 to 599.
    package var status: Int
    /// What kind of problem it is, in a few words, the same for all of its kind.
    package var title: String
    /// What happened here and what to do about it.
    package var detail: String
    /// Members beside those of RFC 9457, in this order, each with its value as JSON text.
    package var members: [(name: String, json: [UInt8])]
    /// Header fields of the answer: Allow, Retry-After, WWW-Authenticate.
    package var headers: [Response.Header]
    /// Whether its detail is in the words of a host's view model, in whatever language it speaks.
    package var isOfHost = false
    /// Whether the connection is closed after it.
    package var closesConnection = false
    /// What led to it, for the log alone: names of this program, never what a caller typed.
    package var cause: String?

    /// Makes a problem.
    package init(
        _ slug: String, status: Int, title: String, detail: String,
        members: [(name: String, json: [UInt8])] = [], headers: [Response.Header] = []
    ) {
        self.slug = slug
        self.status = status
        self.title = title
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// The problem sent for an error that is none: it says nothing about the error.
    package static var internalError: Problem {
        Problem(
            "internal-error", status: 500, title: "Internal error",
            detail: "Something went wrong here. Try again; if it stays, report it with the Request-Id.")
    }

    /// The problem to send for a thrown error.
    init(_ error: any Error) {
        self = error as? Problem ?? .internal(causedBy: error)
    }

    /// The problem to send for an unforeseen error, with its name, but not its text, for the log: the text may hold anything.
    package static func `internal`(causedBy error: any Error) -> Problem {
        var problem = internalError
        problem.cause = name(of: error)
        return problem
    }

    /// The error's type, with its case where it is an enumeration, and its code where it has one.
    private static func name(of error: any Error) -> String {
        let type = String(reflecting: type(of: error))
        let mirror = Mirror(reflecting: error)
        if mirror.displayStyle == .enum {
            // Of a case with a value, its label; of one without, the text, where that is Swift's own.
            if let label = mirror.children.first?.label { return "\(type).\(label)" }
            let value: Any = error
            let hasOwnText = value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            return hasOwnText || value is any TextOutputStreamable ? type : "\(type).\(error)"
        }
        // Foundation's errors have a domain of their own, these but as what they are bridged to; of any other it is the type.
        switch error {
        case let error as CocoaError: return "\(type) (NSCocoaErrorDomain \(error.code.rawValue))"
        case let error as POSIXError: return "\(type) (NSPOSIXErrorDomain \(error.code.rawValue))"
        default: return error._domain == type ? type : "\(type) (\(error._domain) \(error._code))"
        }
    }

    /// Compares all but the order in which nothing depends on it.
    package static func == (left: Problem, right: Problem) -> Bool {
        left.slug == right.slug && left.status == right.status && left.title == right.title
            && left.detail == right.detail && left.headers == right.headers
            && left.closesConnection == right.closesConnection
            && left.members.elementsEqual(right.members) { $0.name == $1.name && $0.json == $1.json }
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Problem {
    /// The answer that says it; `instance` is the request's id.
    package func response(instance: String) -> Response {
        var response = Response(
            status: status,
            headers: [
                Response.Header(.contentType, "application/problem+json"),
                Response.Header(.cacheControl, "no-store"),
            ] + headers,
            body: .bytes(json(instance: instance)))
        response.closesConnection = closesConnection
        response.remark = Remark(problem: slug, cause: cause)
        return response
    }

    /// The problem as JSON text, the members in the order of RFC 9457.
    func json(instance: String) -> [UInt8] {
        var json = Array(#"{"type":"#.utf8)
        json += Self.quoted("/problems/" + slug)
        json += #","title":"#.utf8
        json += Self.quoted(title)
        json += #","status":\#(status),"detail":"#.utf8
        json += Self.quoted(detail)
        json += #","instance":"#.utf8
        json += Self.quoted(instance)
        for member in members {
            json.append(UInt8(ascii: ","))
            json += Self.quoted(member.name)
            json.append(UInt8(ascii: ":"))
            json += member.json
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static func quoted(_ text: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A String always encodes; were it otherwise, an empty text still leaves the JSON well-formed.
        return (try? encoder.encode(text)).map { Array($0) } ?? Array(#""""#.utf8)
    }
}
