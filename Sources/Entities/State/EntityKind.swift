import Locking

/// The view models of the entities of one kind, and whether they exist before their first commit.
package final class EntityKind: Sendable {
    package let host: any PartHost
    /// Whether named entities exist before their first commit, because the host lists their names.
    let existsByName: Bool
    private let languages = Lock<[String: InitialParts]>([:])
    /// How many languages it keeps; at the bound it forgets all of them, because deriving again is cheap.
    static let limit = 64

    package init(_ host: any PartHost, existsByName: Bool = false) {
        (self.host, self.existsByName) = (host, existsByName)
    }

    /// The initial parts in a language: one shared copy, which the first caller derives.
    package subscript(language: String) -> InitialParts {
        if let known = languages.withLock({ $0[language] }) { return known }
        let made = InitialParts(host: host, language: language)
        return languages.withLock { languages in
            // Another thread may have made them meanwhile.
            if let known = languages[language] { return known }
            if languages.count >= Self.limit { languages = [:] }
            languages[language] = made
            return made
        }
    }
}

/// The kinds of entities of a process.
package struct EntityKinds: Sendable {
    package let session: EntityKind
    private let named: [String: EntityKind]

    /// Takes the view models of sessions, and the kinds of named entities by ``EntityID/kind``.
    package init(sessions host: any PartHost, named: [String: EntityKind] = [:]) {
        (session, self.named) = (EntityKind(host), named)
    }

    /// The kind of an entity; the parts of an unknown kind are kept as they are.
    package subscript(id: EntityID) -> EntityKind { named[id.kind] ?? session }

    /// Whether an entity exists before its first commit; only private sessions and some named entities do not.
    func existsByName(_ id: EntityID) -> Bool { named[id.kind]?.existsByName ?? !id.expires }
}
