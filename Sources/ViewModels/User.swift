import Foundation

/// Whom a session belongs to; it is stored with the session, and never changes.
public struct User: Hashable, Codable, Sendable {
    /// The user's id; it names the user in logs and in the store, so it should be no address or name.
    public let id: String
    /// The roles, which ``Action/allowing(_:)`` names.
    public let roles: Set<String>
    /// When the session ends, at the latest; nil for no such time.
    public let expires: Date?

    /// Names a user.
    public init(_ id: String, roles: Set<String> = [], expires: Date? = nil) {
        (self.id, self.roles, self.expires) = (id, roles, expires)
    }

    /// How long the session may still live; nil for no end.
    package var timeLeft: Duration? { expires.map { .seconds($0.timeIntervalSinceNow) } }
}

/// What a caller may see of a named entity, and whether it may act.
public enum Access: Hashable, Sendable {
    /// Nothing: the entity is 404, so that keys cannot be probed.
    case none
    /// The outputs of a facet. Actions are allowed.
    case facet(String)
    /// All outputs. Actions are allowed.
    case all
}

/// The hook asks for a body, and the request has none.
package struct MissingCredentials: Error {}

/// How a client says who it is when it begins a session (`POST /sessions`).
public struct Credentials: Sendable {
    /// The field `Authorization`, as in `Basic …`; nil for none.
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
        return try JSON.decode(type, from: body)
    }
}
