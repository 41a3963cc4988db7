/// Answers one request.
///
/// Called on the connection's event loop and outside of any task: it must not block. What is not known yet is left for
/// later, by ``Response/Body/later(_:)`` or, where it takes an `await`, by ``Response/awaiting(_:)``. A thrown ``Problem``
/// becomes that problem; any other error a 500 without its text.
package typealias Handler = @Sendable (Request) throws -> Response

/// A method and a path template, and what answers them.
package struct Route: Sendable {
    /// The method; a GET route serves HEAD too.
    package let method: Method
    /// The template, as given.
    package let template: String
    /// What answers.
    package let handler: Handler
    /// The names in braces, in order.
    let parameterNames: [String]

    /// Makes a route for a template such as `/session` or `/{name}/{action}`.
    ///
    /// A template begins with a slash and has at most 16 segments, each literal or one whole `{parameter}`, at most 8 of
    /// these; the last may be empty, as in `/pages/`. A GET of `/*` is for every path that no other template matches. Where a literal and a parameter both match, the literal wins, left to right.
    package init(_ method: Method, _ template: String, handler: @escaping Handler) {
        self.method = method
        self.template = template
        self.handler = handler
        self.parameterNames = template.split(separator: "/").compactMap { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}") ? String(segment.dropFirst().dropLast()) : nil
        }
    }
}

/// A request method of RFC 9110, section 9, or RFC 5789 (PATCH).
package enum Method: String, Sendable, Hashable, CaseIterable {
    /// Reads; served for HEAD as well, without its body.
    case get = "GET"
    /// Reads the headers alone. Seldom a route of its own: every GET route serves it.
    case head = "HEAD"
    /// Acts.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes in part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
    /// Asks what is possible.
    case options = "OPTIONS"
}
