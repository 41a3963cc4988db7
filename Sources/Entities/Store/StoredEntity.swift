import Foundation

/// The name of an entity in the store.
package struct EntityID: Hashable, Sendable {
    /// The kind of entity: `session`, `public`, or the kind of a named entity.
    package let kind: String
    /// The unique name: for a private session the SHA-256 of its token in base64url.
    package let text: String

    package init(kind: String, text: String) { (self.kind, self.text) = (kind, text) }

    /// Hashes only the unique name, because each request does this.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The session that all callers without a token share.
    package static let publicSession = EntityID(kind: "public", text: "public")

    package static func session(_ text: String) -> EntityID { EntityID(kind: "session", text: text) }

    /// Whether the entity is no session: its text is its path without the first slash, as in `orders/7f3c`.
    package var isNamed: Bool { kind != "session" && kind != "public" }

    /// The key of a named entity, as `7f3c`; nil for a session.
    package var key: String? { isNamed ? String(text.dropFirst(kind.utf8.count + 1)) : nil }

    /// Whether the entity ends after the time to live without use; all others stay.
    package var expires: Bool { kind == "session" }
}

/// A part as the store keeps it.
package struct StoredPart: Sendable, Equatable {
    package let name: String
    /// The version of the stored form.
    package let version: Int
    /// The stored form.
    package let state: [UInt8]
    /// The stamp of the last visible change, not mixed with any digest.
    package let stamp: Stamp

    package init(name: String, version: Int, state: [UInt8], stamp: Stamp) {
        (self.name, self.version, self.state, self.stamp) = (name, version, state, stamp)
    }

    /// Makes a part without a view model, as JSON.
    init(_ name: String, of value: some Encodable) {
        let state = (try? JSONEncoder().encode(value)) ?? Data()
        self.init(name: name, version: 1, state: Array(state), stamp: .none)
    }

    /// The value of a part without a view model; nil for a part of another name.
    package func value<Value: Decodable>(_ name: String) -> Value? {
        self.name == name ? try? JSONDecoder().decode(Value.self, from: Data(state)) : nil
    }
}

/// An entity as the store keeps it, in one row.
package struct StoredEntity: Sendable, Equatable {
    package let id: EntityID
    /// The stamp of the last commit, not mixed with any digest; the store compares it.
    package let head: Stamp
    /// The latest heads as clients saw them, oldest first; at most ``EntityState/ringInRow``.
    package let ring: [Stamp]
    package let language: String
    /// The id of the user, for the search by ``EntityStore/sessions(of:limit:then:)``; nil for none, and after a load.
    package let owner: String?
    /// When a process must look at the effects, in milliseconds since 1970; nil for never, and after a load.
    package let due: Int64?
    /// All parts that were touched.
    package let parts: [StoredPart]

    package init(
        id: EntityID, head: Stamp, ring: [Stamp], language: String, owner: String? = nil, due: Int64? = nil,
        parts: [StoredPart]
    ) {
        (self.id, self.head, self.ring, self.language) = (id, head, ring, language)
        (self.owner, self.due, self.parts) = (owner, due, parts)
    }
}
