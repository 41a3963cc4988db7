/// Answers one request by its responder.
///
/// It runs on the event loop of the connection and must not block. It may answer later, from any thread. A thrown
/// ``Problem`` is the answer; any other error is a 500 without its text.
package typealias Handler = @Sendable (Request, Responder) throws -> Void

/// A method and a path template, and the handler for them.
package final class Route: Sendable {
    /// The method; a GET route serves HEAD too.
    package let method: Method
    package let template: String
    package let handler: Handler
    /// The template without the names in braces.
    let pattern: String

    /// Makes a route for a template such as `/session` or `/orders/{id}`.
    ///
    /// A template begins with a slash. Its segments are literals, or whole-segment `{parameters}`. A GET of `/*` serves
    /// each path that no other template matches. A literal takes precedence over a parameter, from left to right. A
    /// method and a template make one route at most.
    package init(_ method: Method, _ template: String, handler: @escaping Handler) {
        (self.method, self.template, self.handler) = (method, template, handler)
        precondition(template.hasPrefix("/"), "malformed: \(template)")
        let segments = template.split(separator: "/", omittingEmptySubsequences: false)
        pattern = segments.map { $0.hasPrefix("{") ? "{}" : $0 }.joined(separator: "/")
    }
}

/// A request method (RFC 9110, section 9; RFC 5789).
package enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    /// GET routes serve it.
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
}
