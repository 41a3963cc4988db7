import Foundation

/// A hosted view model: its checked declaration, and closures that hide its type.
@usableFromInline
package final class ViewModelDescription: Sendable {
    package struct Output: Sendable {
        package let name: String
        package let summary: String
        package let schema: JSONSchema
        /// The member that is the key of the rows, for a list by key.
        package let rowKey: String?
    }

    package struct Action: Sendable {
        package let name: String
        package let summary: String
        /// Whether ``Catalogue/runAsync(_:on:)`` must run it.
        package let isAsync: Bool
        /// The shape of the body; nil if the action takes none.
        package internal(set) var input: JSONSchema?
        /// An example of the body; empty if the action takes none.
        package internal(set) var example: [UInt8] = []
        /// The refusals that the action declares; a summary says when the action refuses.
        package internal(set) var refusals: [(kind: Refusal.Kind, summary: String)] = []
        /// Whether it runs on the executor, because it blocks or computes for long.
        package internal(set) var isBlocking = false
        /// The allowed roles, of which a caller needs one; empty for any caller.
        package internal(set) var roles: [String] = []
        package internal(set) var isMaking = false
    }

    @usableFromInline typealias Apply = @Sendable (Step, Part, ActionCall) throws -> Part

    /// The name of the view model, or the first segment of the path of its named entities.
    package let name: String
    /// The keys of its named entities; nil for a view model of sessions.
    package let keys: EntityKeys?
    /// Whether some callers may see only one facet, so that an answer has only its outputs.
    package var isSeenByFacet: Bool { keys != nil && !facets.isEmpty }
    package let summary: String
    /// The version of the stored form.
    package let version: Int
    // In declared order:
    package let outputs: [Output]
    package let actions: [Action]
    package let facets: [Facet]
    /// The notifications to which the view model reacts.
    let reactions: [String]
    let effects: [HostedEffect]
    /// The initial part, without outputs.
    private let initial: Part
    /// Reads the stored model of a version; the part has no outputs.
    let read: @Sendable ([UInt8], Int) throws(ModelUnreadable) -> Part
    let apply: Apply
    /// Runs an `async` action, by its index, with its body.
    let applyAsync: @Sendable (Int, JSONValue?, Part, ActionCall) async throws -> Part
    /// The access of a caller to a named entity; an undeclared facet gives no access.
    package let access: @Sendable (User?, Part) -> Access

    /// The template of its path: `/counter`, or `/orders/{key}`.
    package var path: String { keys == nil ? "/\(name)" : "/\(name)/{key}" }

    /// Checks the view model, which must be able to store its initial model and read it back.
    init<Root: Hostable>(
        _ interface: Interface<Root>, with services: Root.Services, at name: String, keys: EntityKeys?,
        _ apply: @escaping Apply
    ) throws {
        (self.name, self.keys, summary, version) = (name, keys, interface.summary, Root.Model.version)
        self.apply = apply
        applyAsync = { try await interface.applyAsync($0, $1, to: $2, in: $3, with: services) }
        outputs = try interface.outputs.map { output in try naming("the output \(output.name)", output.describe) }
        actions = try interface.actions.map { try $0.described() }
        facets = interface.facets
        reactions = interface.reactions.map(\.name.rawValue)
        effects = interface.effects.map { $0.hosted(services) }
        access = { user, part in
            let access = Root.access(user, interface.model(of: part))
            if case .facet(let name) = access, !interface.facets.contains(where: { $0.name == name }) { return .none }
            return access
        }
        let model = Root.Model()
        let defaults = try naming("its initial state") {
            let defaults = try JSONValue(parsing: JSON.encode(model))
            guard case .object = defaults else { throw DeclarationFault("it is not stored as a JSON object") }
            let decoder = JSONValueDecoder(defaults)
            _ = try decoder.decode(Root.Model.self)
            if case .object(let object) = defaults,
                let unread = object.names.first(where: { decoder.asked?.contains($0) != true })
            {
                throw DeclarationFault("it writes the member \(unread), and never reads it")
            }
            return defaults
        }
        initial = Part(value: model, version: Root.Model.version, stored: [], outputs: [])
        read = { text, version throws(ModelUnreadable) in
            try Root.Model.read(text, version: version, defaults: defaults, of: name)
        }
        try checkNames()
        try checkKeys()
        let shown = try naming("its initial state") { try derive(initial, in: "en").outputs }
        for (output, text) in zip(outputs, shown) {
            try naming("the output \(output.name)") { try output.schema.check(JSONValue(parsing: text)) }
        }
    }

    /// The state before the first change.
    package func initial(in language: Language) throws -> Part { try derive(initial, in: language) }

    /// Derives the outputs of a part in a language; the context has no real time.
    package func derive(_ part: Part, in language: Language) throws -> Part {
        try apply(.derive, part, ActionCall("", ActionRequest(""), language: language, time: .distantPast))
    }

    /// The indices of a facet's outputs in ``outputs``.
    package func places(of facet: Facet) -> [Int] {
        facet.outputs.compactMap { name in outputs.firstIndex { $0.name == name } }
    }

    private func checkKeys() throws {
        let making = actions.first(where: \.isMaking)
        if let making, keys != .made {
            throw DeclarationFault("has an action \(making.name) that makes it, but is not hosted with keys: .made")
        }
        if keys == .made, making == nil { throw DeclarationFault("has no action that is declared .making()") }
        if let names = keys?.names, names.isEmpty || !names.allSatisfy(EntityKeys.isKey) {
            throw DeclarationFault("has keys that are not 1 to 64 of a-z, A-Z, 0-9, _ and -")
        }
        if keys != nil, !reactions.isEmpty { throw DeclarationFault("has reactions, which a named entity never runs") }
    }

    private func checkNames() throws {
        let (outputs, paths) = (outputs.map(\.name), actions.map(\.name) + facets.map(\.name))
        let effects = effects.map(\.name)
        if let bad = ([name] + outputs + paths + effects).first(where: { !isName($0) }) {
            throw DeclarationFault(
                "has the name \"\(bad)\"; a name is 1 to 64 of a-z, A-Z, 0-9 and -, a letter first")
        }
        for facet in facets {
            if facet.name.lowercased() == "changes" {
                throw DeclarationFault("has a facet \(facet.name), which is a path of the server")
            }
            if facet.outputs.isEmpty { throw DeclarationFault("has a facet \(facet.name) that shows nothing") }
            if let name = facet.outputs.first(where: { !outputs.contains($0) }) {
                throw DeclarationFault("has a facet \(facet.name) of an unknown output \(name)")
            }
        }
        let groups = [("outputs", outputs), ("effects", effects), ("actions or facets", paths)]
        for (kind, names) in groups + facets.map({ ("outputs in the facet \($0.name)", $0.outputs) }) {
            if let name = duplicate(in: names) { throw DeclarationFault("has two \(kind) called \(name)") }
        }
    }
}

/// An error in the declaration of a view model, so that the server does not start.
///
/// Names may be malformed or duplicate. A facet may be called `changes`, or show unknown outputs. A type may have no
/// schema, or may not read the JSON of its own example, initial output or initial model. An action fails with this
/// error if it starts an undeclared effect, has two rows with the same key, or makes a value without JSON form.
public struct DeclarationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error in one sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Puts a subject before the text of an error.
package func naming<Value>(_ subject: String, _ find: () throws -> Value) throws(DeclarationFault) -> Value {
    do { return try find() } catch { throw DeclarationFault("\(subject): \(error)") }
}

/// Whether a text is 1 to 64 of `a-z`, `A-Z`, `0-9` and `-`, a letter first: paths, queries and JSON need no escape.
func isName(_ text: String) -> Bool {
    // A regular expression takes microseconds, and an output that compares a language literal calls this each time.
    text.utf8.count <= 64 && text.first?.isLetter == true
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
}

/// The first text that repeats an earlier one, without regard to case; nil if there is none.
func duplicate(in texts: [String]) -> String? {
    var known: Set<String> = []
    return texts.first { !known.insert($0.lowercased()).inserted }
}
