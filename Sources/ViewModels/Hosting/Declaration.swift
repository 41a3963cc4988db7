import Foundation

/// A view model that a server hosts.
public struct Declaration: Sendable {
    /// The view model's name, or the first segment of the path of its named entities.
    public let name: String
    let host: @Sendable () throws(DeclarationFault) -> Host

    @usableFromInline
    init<Root: Hostable>(
        _ interface: Interface<Root>, with services: Root.Services, at path: String?, keys: EntityKeys?,
        apply: @escaping Host.Apply, applyAsync: @escaping Host.ApplyAsync
    ) {
        let name = path ?? interface.name
        self.name = name
        host = { () throws(DeclarationFault) in
            do { return try Host(interface, with: services, at: name, keys: keys, apply, applyAsync) } catch {
                throw DeclarationFault("\(name): \(DeclarationFault.words(error)).")
            }
        }
    }

    /// Hosts a view model.
    @inlinable
    public static func hosting<Root: Hostable>(_ type: Root.Type) -> Declaration where Root.Services == Void {
        hosting(type, with: ())
    }

    /// Hosts a view model, and lends it services, which its actions reach as `context.services`.
    @inlinable
    public static func hosting<Root: Hostable>(_ type: Root.Type, with services: Root.Services) -> Declaration {
        hosting(type, with: services, path: nil, keys: nil)
    }

    /// Hosts named entities, such as `/orders/7f3c`: each holds one view model, which all sessions share.
    ///
    /// A named entity has commits, an ETag and a change feed of its own. Its outputs are in the server's first language.
    /// - Parameters:
    ///   - path: the first segment of the path.
    ///   - keys: which entities exist.
    @inlinable
    public static func hosting<Root: Hostable>(
        _ type: Root.Type, at path: String, keys: EntityKeys
    ) -> Declaration where Root.Services == Void {
        hosting(type, with: (), path: path, keys: keys)
    }

    /// Hosts named entities, and lends them services.
    @inlinable
    public static func hosting<Root: Hostable>(
        _ type: Root.Type, with services: Root.Services, at path: String, keys: EntityKeys
    ) -> Declaration {
        hosting(type, with: services, path: path, keys: keys)
    }

    @inlinable
    static func hosting<Root: Hostable>(
        _ type: Root.Type, with services: Root.Services, path: String?, keys: EntityKeys?
    ) -> Declaration {
        let runner = Runner(Root.interface, services)
        return Declaration(
            Root.interface, with: services, at: path, keys: keys, apply: { try runner.apply($0, to: $1, in: $2) },
            applyAsync: { try await runner.applyAsync($0, $1, to: $2, in: $3) })
    }
}

/// Which named entities of a view model exist.
///
/// A key has 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
public struct EntityKeys: Hashable, Sendable {
    /// The keys that exist from the start; nil for keys that actions make.
    package let names: [String]?

    /// Any key, once an action that is declared ``Action/making()`` has made it.
    public static let made = EntityKeys(names: nil)

    /// These keys alone; each exists from the start.
    public static func listed(_ names: String...) -> EntityKeys { EntityKeys(names: names) }

    /// Whether an entity may have this key.
    package func allows(_ key: String) -> Bool { names?.contains(key) ?? Self.isKey(key) }

    static func isKey(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil }
}

/// One type of view model as the catalogue runs it; closures hide the type.
@usableFromInline
final class Host: Sendable {
    @usableFromInline typealias Apply = @Sendable (Step, Part, ActionCall) throws -> Part
    @usableFromInline typealias ApplyAsync = @Sendable (Int, JSONValue?, Part, ActionCall) async throws -> Part

    let description: ViewModelDescription
    /// The notifications to which the view model reacts, in declared order.
    let reactions: [Notification.Name]
    /// The effects, by their names.
    let effects: [String: HostedEffect]
    /// The part that each session begins with, without outputs.
    let initial: Part
    /// Reads what a version has stored; the part has no outputs.
    let read: @Sendable ([UInt8], Int) throws(ModelUnreadable) -> Part
    let apply: Apply
    let applyAsync: ApplyAsync
    /// What a caller may see of a part.
    let access: @Sendable (User?, Part) -> Access

    /// Checks the view model, which must be able to store and read back the model of a new session.
    init<Root: Hostable>(
        _ interface: Interface<Root>, with services: Root.Services, at path: String, keys: EntityKeys?,
        _ apply: @escaping Apply, _ applyAsync: @escaping ApplyAsync
    ) throws {
        description = try interface.description(at: path, keys: keys)
        reactions = interface.reactions.map(\.name)
        effects = Dictionary(
            uniqueKeysWithValues: interface.effects.enumerated().map { place, effect in
                (effect.name, HostedEffect(effect, at: place, with: services))
            })
        (self.apply, self.applyAsync) = (apply, applyAsync)
        access = { user, part in
            guard let model = part.model as? Root.Model else { return .none }
            return Root.access(user, model)
        }
        let model = Root.Model()
        let defaults = try naming("its initial state") {
            let defaults = try JSONValue(parsing: JSON.encode(model))
            guard case .object = defaults else { throw DeclarationFault("it is not stored as a JSON object") }
            _ = try JSONValueDecoder(value: defaults).decode(Root.Model.self)
            return defaults
        }
        initial = Part(model: model, unknown: [], stored: [], outputs: [])
        read = { text, version throws(ModelUnreadable) in
            let (model, unknown) = try Root.Model.read(text, version: version, defaults: defaults, of: path)
            return Part(model: model, unknown: unknown, stored: [], outputs: [])
        }
        let outputs = try naming("its initial state") { try derive(initial, in: "en").outputs }
        for (output, text) in zip(description.outputs, outputs) {
            try naming("the output \(output.name)") { try output.schema.check(JSONValue(parsing: text)) }
        }
    }

    /// The part with its outputs in a language; the time is that of no action.
    func derive(_ part: Part, in language: Language) throws -> Part {
        try apply(.derive, part, ActionCall("", "", language: language, time: .distantPast, sessionID: ""))
    }
}
