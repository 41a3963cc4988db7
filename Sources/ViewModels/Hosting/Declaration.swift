/// A view model that a server hosts.
public struct Declaration: Sendable {
    /// The view model's name, or the first segment of the path of its named entities.
    public let name: String
    /// Checks the view model, and finds its schemas.
    let describe: @Sendable () throws(DeclarationFault) -> ViewModelDescription

    @usableFromInline
    init<Root: Hostable>(
        _ interface: Interface<Root>, with services: Root.Services, at path: String?, keys: EntityKeys?,
        apply: @escaping ViewModelDescription.Apply
    ) {
        let name = path ?? interface.name
        self.name = name
        describe = { () throws(DeclarationFault) in
            try naming(name) { try ViewModelDescription(interface, with: services, at: name, keys: keys, apply) }
        }
    }

    /// Hosts a view model.
    @inlinable
    public static func hosting<Root: Hostable>(_ type: Root.Type) -> Declaration where Root.Services == Void {
        hosting(type, with: ())
    }

    /// Hosts a view model with services; its actions use them as `context.services`.
    @inlinable
    public static func hosting<Root: Hostable>(_ type: Root.Type, with services: Root.Services) -> Declaration {
        hosting(Root.interface, with: services, path: nil, keys: nil)
    }

    /// Hosts named entities, such as `/orders/7f3c`: each has one view model, and all sessions share it.
    ///
    /// A named entity has its own commits, ETag and change feed. Its outputs are in the server's first language.
    /// - Parameters:
    ///   - path: the first segment of the path.
    ///   - keys: the keys of the entities.
    @inlinable
    public static func hosting<Root: Hostable>(
        _ type: Root.Type, at path: String, keys: EntityKeys
    ) -> Declaration where Root.Services == Void {
        hosting(type, with: (), at: path, keys: keys)
    }

    /// Hosts named entities with services.
    @inlinable
    public static func hosting<Root: Hostable>(
        _ type: Root.Type, with services: Root.Services, at path: String, keys: EntityKeys
    ) -> Declaration {
        hosting(Root.interface, with: services, path: path, keys: keys)
    }

    @inlinable
    static func hosting<Root: Hostable>(
        _ interface: Interface<Root>, with services: Root.Services, path: String?, keys: EntityKeys?
    ) -> Declaration {
        Declaration(interface, with: services, at: path, keys: keys) { step, part, call in
            try interface.apply(step, to: part, in: call, with: services)
        }
    }
}

/// The keys of a view model's named entities.
///
/// A key is 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
public struct EntityKeys: Hashable, Sendable {
    /// The keys that exist from the start; nil for keys that actions make.
    package let names: [String]?

    /// Any key; the entity exists after an action that is declared ``Action/making()`` has made it.
    public static let made = EntityKeys(names: nil)

    /// Only these keys; their entities exist from the start.
    public static func listed(_ names: String...) -> EntityKeys { EntityKeys(names: names) }

    /// Whether an entity may have this key.
    package func allows(_ key: String) -> Bool { names?.contains(key) ?? Self.isKey(key) }

    static func isKey(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil }
}
