/// A request method of RFC 9110, section 9, or RFC 5789 (PATCH).
public enum Method: String, Sendable, Hashable, CaseIterable {
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
