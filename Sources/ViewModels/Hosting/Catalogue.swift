/// The view models of a server, checked, in declared order.
///
/// All methods may be called from any thread. A name must be that of a view model in ``viewModels``.
package final class Catalogue: Sendable {
    /// What the view models declare.
    package let viewModels: [ViewModelDescription]
    /// The view models of sessions; the others are of named entities.
    package let sessionViewModels: [ViewModelDescription]
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
        sessionViewModels = viewModels.filter { $0.keys == nil }
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
        let host = try host(name)
        return try host.derive(host.initial, in: language)
    }

    /// Reads what a version has stored.
    package func read(
        _ name: String, stored: [UInt8], version: Int, language: Language
    ) throws(ModelUnreadable) -> Part {
        guard let place = names.firstIndex(of: name) else {
            throw ModelUnreadable(viewModel: name, isHosted: false, reason: "this build does not host it")
        }
        let part = try hosts[place].read(stored, version)
        do { return try hosts[place].derive(part, in: language) } catch {
            throw ModelUnreadable(viewModel: name, reason: "its outputs have no JSON form")
        }
    }

    /// The same state with its outputs in another language.
    package func rederive(_ part: Part, _ name: String, language: Language) throws -> Part {
        try host(name).derive(part, in: language)
    }

    /// What a caller may see of a named entity that holds this view model; a facet that is not declared is nothing.
    package func access(_ user: User?, _ part: Part, _ name: String) -> Access {
        guard let host = try? host(name) else { return .none }
        let access = host.access(user, part)
        if case .facet(let facet) = access, !host.description.facets.contains(where: { $0.name == facet }) {
            return .none
        }
        return access
    }

    /// Finds the present state of a session's view model by its name; nil for one that is as it began.
    package typealias Parts = @Sendable (String) throws -> Part?

    /// Runs a synchronous action and the reactions to it; nothing outside of the result changes.
    ///
    /// - Throws: ``InputFault``, ``Refusal``; any other error is a fault of the view model.
    package func run(_ call: ActionCall, on parts: Parts) throws -> RunResult {
        let (host, action, body, part) = try begin(call, on: parts)
        return try finish(call, of: host, from: part, to: host.apply(.action(action, body), part, call), on: parts)
    }

    /// Runs an action of any kind, `async` or not, as ``run(_:on:)`` does.
    package func runAsync(_ call: ActionCall, on parts: Parts) async throws -> RunResult {
        let (host, action, body, part) = try begin(call, on: parts)
        let new = try await host.applyAsync(action, body, part, call)
        return try finish(call, of: host, from: part, to: new, on: parts)
    }

    /// Takes the result of an effect into its view model, as ``run(_:on:)`` does; the call's action is the effect.
    package func finish(_ call: ActionCall, _ result: Result<any Sendable, any Error>, on parts: Parts) throws
        -> RunResult
    {
        let host = try host(call.viewModel)
        guard let effect = host.effects[call.action] else { throw CallFault() }
        let part = try parts(call.viewModel) ?? initial(call.viewModel, language: call.language)
        return try finish(
            call, of: host, from: part, to: host.apply(.effect(effect.place, result), part, call), on: parts)
    }

    /// An effect of a view model; nil where this build has none of the name.
    package func effect(_ name: String, of viewModel: String) -> HostedEffect? { try? host(viewModel).effects[name] }

    /// The named entity at a path such as `desks/main`, and one of its actions; nil for one that cannot exist.
    package func action(
        _ name: String, on path: String
    ) -> (viewModel: ViewModelDescription, key: String, action: ViewModelDescription.Action)? {
        let words = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, let viewModel = viewModel(words[0]), viewModel.keys?.allows(words[1]) == true,
            let action = viewModel.actions.first(where: { $0.name == name })
        else { return nil }
        return (viewModel, words[1], action)
    }

    /// The outputs as one JSON object in declared order, or those of a facet in its order.
    package func body(of part: Part, _ name: String, facet: ViewModelDescription.Facet? = nil) -> [UInt8] {
        let outputs = viewModel(name)?.outputs ?? []
        let members = (facet?.outputs ?? Array(outputs.indices)).map { place in
            Array("\"\(outputs[place].name)\":".utf8) + part.outputs[place]
        }
        return Array("{".utf8) + Array(members.joined(separator: ",".utf8)) + Array("}".utf8)
    }

    private func host(_ name: String) throws -> Host {
        guard let place = names.firstIndex(of: name) else { throw CallFault() }
        return hosts[place]
    }

    private func begin(_ call: ActionCall, on parts: Parts) throws -> (Host, action: Int, body: JSONValue?, Part) {
        let host = try host(call.viewModel)
        guard let action = host.description.actions.firstIndex(where: { $0.name == call.action }) else {
            throw CallFault()
        }
        let body = try InputFault.read(call.body, as: host.description.actions[action].input)
        return (host, action, body, try parts(call.viewModel) ?? initial(call.viewModel, language: call.language))
    }

    private func finish(
        _ call: ActionCall, of caller: Host, from old: Part, to new: Part, on parts: Parts
    ) throws -> RunResult {
        var changed: [(name: String, part: Part)] = []
        if !new.isSame(as: old) { changed.append((call.viewModel, new)) }
        let isEnd = call.isEnd.load(ordering: .acquiring)
        guard !isEnd || caller.description.keys == .made else { throw EndFault() }
        var effects = try requests(call, of: caller)
        // The list is of before the reactions: what they post triggers none.
        let posts = call.posts
        for post in posts where caller.description.keys == nil {
            for (name, host) in zip(names, hosts) where name != call.viewModel {
                for (reaction, _) in host.reactions.enumerated().filter({ $1 == post.name }) {
                    let before = try parts(name) ?? initial(name, language: call.language)
                    let present = changed.first { $0.name == name }?.part ?? before
                    let after = try host.apply(.reaction(reaction, post), present, call)
                    changed.removeAll { $0.name == name }
                    if !after.isSame(as: before) { changed.append((name, after)) }
                    effects += try requests(call, of: host)
                }
            }
        }
        guard !isEnd || effects.allSatisfy(\.request.isCancel) else {
            throw EffectRequestFault.endsEntity(
                "an action that ends its entity starts no effects: they would end with it")
        }
        return RunResult(
            changed: changed, posts: posts.isEmpty ? [] : call.posts, effects: effects, isEnd: isEnd)
    }

    /// What a view model has just asked of the effects, checked: they run later, and then nobody could be told.
    private func requests(_ call: ActionCall, of host: Host) throws -> [(viewModel: String, request: EffectRequest)] {
        let requests = try call.takeEffects()
        for request in requests {
            switch request.kind {
            case .start(let name, _, _):
                guard let effect = host.effects[name] else {
                    throw EffectRequestFault.noSuchEffect("\(host.description.name) declares no effect \(name)")
                }
                do { try effect.check(JSONValue(parsing: request.input)) } catch {
                    throw EffectRequestFault.otherInput("the effect \(name) takes another input: \(error)")
                }
            case .act(let path, let name):
                guard let (_, _, action) = action(name, on: path) else {
                    throw EffectRequestFault.noSuchAction("no named entity \(path) has an action \(name)")
                }
                _ = try InputFault.read(request.input, as: action.input)
            case .cancel: break
            }
        }
        return requests.map { (host.description.name, $0) }
    }
}

/// What an action and the reactions to it have changed.
package struct RunResult: Sendable {
    /// The parts whose stored form or outputs changed, each once.
    package let changed: [(name: String, part: Part)]
    /// What was posted, in order, for the session's NotificationCenter.
    package let posts: [Post]
    /// What the view models asked of the effects, in order.
    package let effects: [(viewModel: String, request: EffectRequest)]
    /// Whether the action ends its entity.
    package let isEnd: Bool
}

/// An action that is not of a made entity has called `context.end()`.
struct EndFault: Error {}

/// A call that the catalogue's user must not make.
@usableFromInline
struct CallFault: Error {
    @usableFromInline init() {}
}
