/// What a view model declares, in declared order.
package struct ViewModelDescription: Sendable {
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
        /// The shape of the body; nil where the action takes none.
        package let input: JSONSchema?
        /// An example of the body; empty where the action takes none.
        package let example: [UInt8]
        package let refusals: [DeclaredRefusal]
        /// Whether ``Catalogue/runAsync(_:on:)`` must run it.
        package let isAsync: Bool
        /// Whether it needs a thread of its own.
        package let isBlocking: Bool
        /// The roles of which a caller needs one; empty for any caller.
        package let roles: [String]
        /// Whether it makes its named entity.
        package let isMaking: Bool
    }

    package struct Facet: Sendable {
        package let name: String
        package let summary: String
        /// The places of its outputs among all outputs, in the facet's order.
        package let outputs: [Int]
    }

    /// The name of the view model, or the first segment of the path of its named entities.
    package let name: String
    /// The keys of its named entities; nil for a view model of sessions.
    package let keys: EntityKeys?
    package let summary: String
    /// The version of the stored form.
    package let version: Int
    package let outputs: [Output]
    package let actions: [Action]
    package let facets: [Facet]

    /// The template of its path: `/counter`, or `/orders/{key}`.
    package var path: String { keys == nil ? "/\(name)" : "/\(name)/{key}" }
}

extension Interface {
    /// Checks the declaration, and finds the schemas.
    ///
    /// - Parameters:
    ///   - path: the first segment of the path.
    ///   - keys: the keys of named entities; nil for a view model of sessions.
    func description(at path: String, keys: EntityKeys?) throws -> ViewModelDescription {
        try checkNames(path)
        try check(keys)
        return ViewModelDescription(
            name: path, keys: keys, summary: summary, version: Root.Model.version,
            outputs: try outputs.map { output in
                let schema = try naming("the output \(output.name)", output.schema)
                return ViewModelDescription.Output(
                    name: output.name, summary: output.summary, schema: schema,
                    rowKey: try naming("the output \(output.name)", output.rowKey))
            },
            actions: try actions.map { action in
                let input = try action.input.map { try naming("the body of \(action.name)", $0) }
                return ViewModelDescription.Action(
                    name: action.name, summary: action.summary, input: input?.schema, example: input?.example ?? [],
                    refusals: action.refusals, isAsync: action.isAsync, isBlocking: action.isBlocking,
                    roles: action.roles, isMaking: action.isMaking)
            },
            facets: try facets.map { facet in
                let places = try facet.outputs.map { name in
                    guard let place = outputs.firstIndex(where: { $0.name == name }) else {
                        throw DeclarationFault("has a facet \(facet.name) of an unknown output \(name)")
                    }
                    return place
                }
                return ViewModelDescription.Facet(name: facet.name, summary: facet.summary, outputs: places)
            })
    }

    private func check(_ keys: EntityKeys?) throws {
        let making = actions.first(where: \.isMaking)
        if let making, keys != .made {
            throw DeclarationFault("has an action \(making.name) that makes it, but is not hosted with keys: .made")
        }
        guard let keys else { return }
        if keys == .made, making == nil { throw DeclarationFault("has no action that is declared .making()") }
        if let names = keys.names {
            guard !names.isEmpty, names.allSatisfy(EntityKeys.isKey) else {
                throw DeclarationFault("has keys that are not 1 to 64 of a-z, A-Z, 0-9, _ and -")
            }
        }
        guard reactions.isEmpty else { throw DeclarationFault("has reactions, which a named entity never runs") }
    }

    private func checkNames(_ path: String) throws {
        let (outputs, paths) = (outputs.map(\.name), actions.map(\.name) + facets.map(\.name))
        let effects = effects.map(\.name)
        if let bad = ([path] + outputs + paths + effects).first(where: { !isName($0) }) {
            throw DeclarationFault(
                "has the name \"\(bad)\"; a name is 1 to 64 of a-z, A-Z, 0-9 and -, a letter first")
        }
        if let name = duplicate(in: outputs) { throw DeclarationFault("has two outputs called \(name)") }
        if let name = duplicate(in: effects) { throw DeclarationFault("has two effects called \(name)") }
        if let name = duplicate(in: paths) {
            throw DeclarationFault("has two actions or facets called \(name), which share a path")
        }
        for facet in facets {
            if facet.name.lowercased() == "changes" {
                throw DeclarationFault("has a facet \(facet.name), which is a path of the server")
            }
            if let name = duplicate(in: facet.outputs) {
                throw DeclarationFault("has a facet \(facet.name) that shows \(name) twice")
            }
        }
    }
}

/// The error in the declaration of a view model, for which a server does not start.
///
/// Names may be malformed or duplicate. A facet may be called `changes`, or show unknown outputs. A type may have no
/// schema. An example or an initial output may not fit its schema. A model may not be read back as it was stored.
public struct DeclarationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error in one sentence.
    public let description: String

    init(_ description: String) { self.description = description }

    /// Any error in words for a programmer.
    static func words(_ error: any Error) -> String {
        if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
            return context.debugDescription
        }
        let path = InputFault.path(of: error)
        return path.isEmpty ? "\(error)" : "its member \(path.joined(separator: "/")) does not fit"
    }
}

/// Puts the subject, if there is one, before an error's words.
func naming<Value>(_ subject: String?, _ find: () throws -> Value) throws -> Value {
    do { return try find() } catch {
        throw DeclarationFault((subject.map { "\($0): " } ?? "") + DeclarationFault.words(error))
    }
}

/// 1 to 64 of `a-z`, `A-Z`, `0-9` and `-`, a letter first: it needs no escape in a path, a query or JSON.
func isName(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-zA-Z][a-zA-Z0-9\-]{0,63}/) != nil
}

/// A text that is there twice, or differs from another in case alone.
func duplicate(in texts: [String]) -> String? {
    var known: Set<String> = []
    return texts.first { !known.insert($0.lowercased()).inserted }
}
