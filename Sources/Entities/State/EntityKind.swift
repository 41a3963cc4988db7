/// What the entities of one kind hold, and whether they exist before their first commit.
package final class EntityKind: Sendable {
    /// The view models.
    package let host: any PartHost
    /// The initial parts of the view models.
    package let initial: InitialPartsCache
    /// Whether the entities exist by their names: the public session, and named entities that are listed.
    let existsByName: Bool

    /// Makes a kind.
    package init(_ host: any PartHost, existsByName: Bool) {
        (self.host, self.existsByName) = (host, existsByName)
        initial = InitialPartsCache(host: host)
    }

    /// The kind with the same parts whose entities exist by their names.
    fileprivate init(publicOf kind: EntityKind) { (host, initial, existsByName) = (kind.host, kind.initial, true) }
}

/// The kinds of entities of a process.
package struct EntityKinds: Sendable {
    /// The kind of private sessions.
    package let session: EntityKind
    private let byName: EntityKind
    private let named: [String: EntityKind]

    /// Takes the view models of sessions, and the kinds of named entities by ``EntityID/kind``.
    package init(sessions host: any PartHost, named: [String: EntityKind] = [:]) {
        session = EntityKind(host, existsByName: false)
        byName = EntityKind(publicOf: session)
        self.named = named
    }

    /// The kind of an entity; the parts of a kind that this build does not have are kept as they are.
    package subscript(id: EntityID) -> EntityKind {
        id.isNamed ? named[id.kind] ?? byName : id.expires ? session : byName
    }
}
