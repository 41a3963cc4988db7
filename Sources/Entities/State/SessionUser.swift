import Foundation

/// The user of a private session; it is stored with the session, and never changes.
package final class SessionUser: Codable, Sendable {
    /// The user's id, by which a store finds the sessions of a user.
    package let id: String
    package let roles: [String]
    /// When the session ends, in seconds since 1970; nil for no end.
    package let ends: Double?

    package init(id: String, roles: [String], ends: Double?) { (self.id, self.roles, self.ends) = (id, roles, ends) }

    /// The name of the stored part; no view model can be called so.
    static let partName = "$user"

    /// How long the session may still live; nil for no end.
    package var timeLeft: Duration? { ends.map { .seconds($0 - Date().timeIntervalSince1970) } }
}
