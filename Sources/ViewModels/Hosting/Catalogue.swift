/// The view models of a server, checked, in declared order.
///
/// All methods may be called from any thread. A name must be that of a view model in ``viewModels``.
package final class Catalogue: Sendable {
    /// What the view models declare.
    package let viewModels: [ViewModelDescription]
    private let hosts: [Host]
    private let names: [String]

    /// Checks the declarations and finds the schemas, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - reservedNames: first segments of the server's own paths, in lower case.
    ///   - reservedProblems: types of the server's own problems, in lower case.
    package init(
        _ declarations: [Declaration], reservedNames: Set<String> = [], reservedProblems: Set<String> = []
    ) throws(DeclarationFault) {
        names = declarations.map(\.name)
        if names.isEmpty { throw DeclarationFault("There is no view model to host.") }
        if let name = duplicate(in: names) { throw DeclarationFault("Two view models are called \(name).") }
        if let name = names.first(where: { reservedNames.contains($0.lowercased()) }) {
            throw DeclarationFault("\(name): has a name of the server.")
        }
        hosts = try declarations.map { declaration throws(DeclarationFault) in try declaration.host() }
        viewModels = hosts.map(\.description)
        var kinds: [String: Refusal.Kind] = [:]
        for kind in viewModels.flatMap(\.actions).flatMap(\.refusals).map(\.kind)
        where !Refusal.Kind.builtIn.contains(kind) {
            let type = kind.type.lowercased()
            guard !reservedProblems.contains(type), kinds.updateValue(kind, forKey: type) ?? kind == kind else {
                throw DeclarationFault("The refusal \(kind.type) has the type of another problem.")
            }
        }
    }

    /// The description of a view model; nil where there is none of this name.
    package func viewModel(_ name: String) -> ViewModelDescription? {
        names.firstIndex(of: name).map { viewModels[$0] }
    }

    /// The state that a session has before an action changes it.
    package func initial(_ name: String, language: Language) throws -> Part {
        let host = try hosts[place(name)]
        return try host.derive(host.initial, in: language)
    }

    /// Reads what a version has stored.
    package func read(
        _ name: String, stored: [UInt8], version: Int, language: Language
    ) throws(ModelUnreadable) -> Part {
        guard let place = names.firstIndex(of: name) else {
            throw ModelUnreadable(viewModel: name, isHosted: false, reason: "this build does not host it")
        }
        let part: Part
        do { part = try hosts[place].read(stored, version) } catch {
            throw ModelUnreadable(viewModel: name, reason: "\(error) (stored by version \(version))")
        }
        do { return try hosts[place].derive(part, in: language) } catch {
            throw ModelUnreadable(viewModel: name, reason: "its outputs have no JSON form")
        }
    }

    /// The same state with its outputs in another language.
    package func rederive(_ part: Part, _ name: String, language: Language) throws -> Part {
        try hosts[place(name)].derive(part, in: language)
    }

    /// Finds the present state of a session's view model by its name; nil for one that is as it began.
    package typealias Parts = @Sendable (String) throws -> Part?

    /// Runs a synchronous action and the reactions to it; nothing outside of the result changes.
    ///
    /// - Throws: ``InputFault``, ``Refusal``; any other error is a fault of the view model.
    package func run(_ call: ActionCall, on parts: Parts) throws -> RunResult {
        let start = try begin(call, on: parts)
        do {
            let part = try hosts[start.place].apply(.action(start.action, start.body), start.part, call)
            return try finish(call, start, part, on: parts)
        } catch { throw checked(error, of: start) }
    }

    /// Runs an action of any kind, `async` or not, as ``run(_:on:)`` does.
    package func runAsync(_ call: ActionCall, on parts: Parts) async throws -> RunResult {
        let start = try begin(call, on: parts)
        do {
            let part = try await hosts[start.place].applyAsync(start.action, start.body, start.part, call)
            return try finish(call, start, part, on: parts)
        } catch { throw checked(error, of: start) }
    }

    /// The outputs as one JSON object in declared order, or those of a facet in its order.
    package func body(of part: Part, _ name: String, facet: ViewModelDescription.Facet? = nil) -> [UInt8] {
        let outputs = viewModel(name)?.outputs ?? []
        let members = (facet?.outputs ?? Array(outputs.indices)).map { place in
            Array("\"\(outputs[place].name)\":".utf8) + part.outputs[place]
        }
        return Array("{".utf8) + Array(members.joined(separator: ",".utf8)) + Array("}".utf8)
    }

    private func place(_ name: String) throws -> Int {
        guard let place = names.firstIndex(of: name) else { throw CallFault() }
        return place
    }

    /// An action that is about to run.
    private struct Start {
        let place: Int
        let action: Int
        let body: JSONValue?
        let part: Part
    }

    private func begin(_ call: ActionCall, on parts: Parts) throws -> Start {
        let place = try place(call.viewModel)
        let actions = viewModels[place].actions
        guard let action = actions.firstIndex(where: { $0.name == call.action }) else { throw CallFault() }
        let body = try InputFault.read(call.body, as: actions[action].input)
        let part = try parts(call.viewModel) ?? initial(call.viewModel, language: call.language)
        return Start(place: place, action: action, body: body, part: part)
    }

    /// The error, or an ``UndeclaredRefusal`` for a refusal that the action must not make.
    private func checked(_ error: any Error, of start: Start) -> any Error {
        guard let refusal = error as? Refusal, !Refusal.Kind.builtIn.contains(refusal.kind) else { return error }
        let declared = viewModels[start.place].actions[start.action].refusals
        return declared.contains { $0.kind == refusal.kind } ? refusal : UndeclaredRefusal(kind: refusal.kind)
    }

    private func finish(_ call: ActionCall, _ start: Start, _ part: Part, on parts: Parts) throws -> RunResult {
        var changed: [(name: String, part: Part)] = []
        if !part.isSame(as: start.part) { changed.append((call.viewModel, part)) }
        // The list is of before the reactions: what they post triggers none.
        let posts = call.posts
        for post in posts {
            for (name, host) in zip(names, hosts) where name != call.viewModel {
                for (reaction, _) in host.reactions.enumerated().filter({ $1 == post.name }) {
                    let before = try parts(name) ?? initial(name, language: call.language)
                    let present = changed.first { $0.name == name }?.part ?? before
                    let after = try host.apply(.reaction(reaction, post), present, call)
                    changed.removeAll { $0.name == name }
                    if !after.isSame(as: before) { changed.append((name, after)) }
                }
            }
        }
        return RunResult(changed: changed, posts: posts.isEmpty ? [] : call.posts)
    }
}

/// What an action and the reactions to it have changed.
package struct RunResult: Sendable {
    /// The parts whose stored form or outputs changed, each once.
    package let changed: [(name: String, part: Part)]
    /// What was posted, in order, for the session's NotificationCenter.
    package let posts: [Post]
}

/// A view model refused with a kind of its own that the action does not declare.
package struct UndeclaredRefusal: Error {
    /// The kind.
    package let kind: Refusal.Kind
}

/// A call that the catalogue's user must not make.
@usableFromInline
struct CallFault: Error {
    @usableFromInline init() {}
}
