import Foundation

/// Whom a private session belongs to; it is stored with the session, and never changes.
package final class SessionUser: Codable, Sendable {
    /// The user's id, by which a store finds the sessions of a user.
    package let id: String
    /// The user's roles.
    package let roles: [String]
    /// When the session ends, in seconds since 1970; nil for no such time.
    package let ends: Double?

    /// Names a user.
    package init(id: String, roles: [String], ends: Double?) { (self.id, self.roles, self.ends) = (id, roles, ends) }

    /// The name of the stored part; no view model can be called so.
    static let partName = "$user"

    /// The form in the entity's row.
    var part: StoredPart? {
        (try? JSONEncoder().encode(self)).map {
            StoredPart(name: Self.partName, version: 1, state: Array($0), stamp: .none)
        }
    }

    /// Reads a stored part; nil for a part of something else.
    static func read(_ part: StoredPart) -> SessionUser? {
        guard part.name == partName else { return nil }
        return try? JSONDecoder().decode(SessionUser.self, from: Data(part.state))
    }

    /// How long the session may still live; nil for no end.
    package var timeLeft: Duration? { ends.map { .seconds($0 - Date().timeIntervalSince1970) } }
}
