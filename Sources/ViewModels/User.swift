import Foundation

/// The user of a session; the host stores it with the session, and it never changes.
public struct User: Hashable, Codable, Sendable {
    /// The user's id; logs and the store contain it, so do not use an e-mail address or a name.
    public let id: String
    /// The roles, for ``Action/allowing(_:)``.
    public let roles: Set<String>
    /// The latest time at which the session ends; nil for no limit.
    public let expires: Date?

    /// Makes a user.
    public init(_ id: String, roles: Set<String> = [], expires: Date? = nil) {
        (self.id, self.roles, self.expires) = (id, roles, expires)
    }

    /// The time until the session expires; nil for no limit.
    package var timeLeft: Duration? { expires.map { .seconds($0.timeIntervalSinceNow) } }
}

/// The outputs of a named entity that a caller may see, and its right to run actions.
public enum Access: Hashable, Sendable {
    /// Nothing: the server answers 404, so that clients cannot probe keys.
    case none
    /// The outputs of a facet. Actions are allowed.
    case facet(String)
    /// All outputs. Actions are allowed.
    case all
}

/// The authentication hook reads a body, and the request has none.
package struct MissingCredentials: Error {}

/// The credentials of a client that begins a session (`POST /sessions`).
public struct Credentials: Sendable {
    /// The header field `Authorization`, such as `Basic …`; nil if it is missing.
    public let authorization: String?
    /// The user whom a trusted proxy names (`--user-header`); nil for none.
    public let forwardedUser: String?
    private let body: [UInt8]

    /// Makes credentials, for example in a test.
    ///
    /// - Parameter body: the JSON body; empty for none.
    public init(authorization: String? = nil, forwardedUser: String? = nil, body: [UInt8] = []) {
        (self.authorization, self.forwardedUser, self.body) = (authorization, forwardedUser, body)
    }

    /// Reads the JSON body.
    ///
    /// - Throws: an error that becomes 401 for a missing body, 400 for malformed JSON, and 422 for another shape.
    public func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        if body.isEmpty { throw MissingCredentials() }
        return try JSONValueDecoder(JSONValue(parsing: body, isBody: true)).decode(type)
    }
}
