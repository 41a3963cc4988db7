/// The name of a header field of an answer.
///
/// A token of RFC 9110, section 5.1. Date, Content-Length, Transfer-Encoding, Connection and Request-Id are the server's
/// to set.
public struct HeaderName: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name, as it is sent.
    public let text: String

    /// Names a field by hand.
    public init(_ text: String) { self.text = text }

    /// Names a field by a literal.
    public init(stringLiteral text: String) { self.text = text }

    /// `Allow`.
    public static let allow: HeaderName = "Allow"
    /// `Cache-Control`.
    public static let cacheControl: HeaderName = "Cache-Control"
    /// `Content-Type`.
    public static let contentType: HeaderName = "Content-Type"
    /// `ETag`.
    public static let eTag: HeaderName = "ETag"
    /// `Location`.
    public static let location: HeaderName = "Location"
    /// `Retry-After`.
    public static let retryAfter: HeaderName = "Retry-After"
    /// `Set-Cookie`.
    public static let setCookie: HeaderName = "Set-Cookie"
    /// `Vary`.
    public static let vary: HeaderName = "Vary"
    /// `WWW-Authenticate`.
    public static let wwwAuthenticate: HeaderName = "WWW-Authenticate"
}
