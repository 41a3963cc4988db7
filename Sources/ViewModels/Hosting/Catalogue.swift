/// The view models of a server, checked, in declared order.
///
/// All methods may be called from any thread. A name must be that of a view model in ``viewModels``.
package final class Catalogue: Sendable {
    package let viewModels: [ViewModelDescription]
    /// The view models of sessions; the others are of named entities.
    package let sessionViewModels: [ViewModelDescription]

    /// Checks the declarations and finds the schemas, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - reservedNames: first segments of the server's own paths, in lower case.
    ///   - reservedProblems: types of the server's own problems, in lower case.
    package init(
        _ declarations: [Declaration], reservedNames: Set<String> = [], reservedProblems: Set<String> = []
    ) throws(DeclarationFault) {
        let names = declarations.map(\.name)
        if names.isEmpty { throw DeclarationFault("There is no view model to host.") }
        if let name = duplicate(in: names) { throw DeclarationFault("Two view models are called \(name).") }
        if let name = names.first(where: { reservedNames.contains($0.lowercased()) }) {
            throw DeclarationFault("\(name): has a name of the server.")
        }
        viewModels = try declarations.map { declaration throws(DeclarationFault) in try declaration.describe() }
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

    /// A view model by its name; nil where there is none.
    package func viewModel(_ name: String) -> ViewModelDescription? { viewModels.first { $0.name == name } }

    /// Reads what a version has stored.
    package func read(
        _ name: String, stored: [UInt8], version: Int, language: Language
    ) throws(ModelUnreadable) -> Part {
        guard let viewModel = viewModel(name) else {
            throw ModelUnreadable(viewModel: name, reason: "this build does not host it")
        }
        let part = try viewModel.read(stored, version)
        do { return try viewModel.derive(part, in: language) } catch {
            throw ModelUnreadable(viewModel: name, reason: "its outputs have no JSON form")
        }
    }

    /// An effect of a view model; nil where this build has none of the name.
    package func effect(_ name: String, of viewModel: String) -> HostedEffect? {
        self.viewModel(viewModel)?.effects.first { $0.name == name }
    }

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

    /// Finds the present state of a session's view model by its name; nil for one that is as it began.
    package typealias Parts = @Sendable (String) throws -> Part?

    /// Runs a synchronous action, or takes the result of an effect, and then the reactions to it.
    ///
    /// Nothing outside of the result changes.
    /// - Throws: ``InputFault``, ``Refusal``; any other error is a fault of the view model.
    package func run(_ call: ActionCall, on parts: Parts) throws -> RunResult {
        let (viewModel, step, part) = try begin(call, on: parts)
        return try finish(call, of: viewModel, from: part, to: viewModel.apply(step, part, call), on: parts)
    }

    /// Runs an action of any kind, `async` or not, as ``run(_:on:)`` does.
    package func runAsync(_ call: ActionCall, on parts: Parts) async throws -> RunResult {
        let (viewModel, step, part) = try begin(call, on: parts)
        let new = try await viewModel.applyAsync(step, part, call)
        return try finish(call, of: viewModel, from: part, to: new, on: parts)
    }

    private func begin(_ call: ActionCall, on parts: Parts) throws -> (ViewModelDescription, Step, Part) {
        guard let viewModel = viewModel(call.viewModel) else { throw HostFault.unknownCall }
        let request = call.request
        let step: Step? =
            if request.isAction {
                try viewModel.actions.firstIndex { $0.name == request.name }.map { place in
                    .action(place, try InputFault.read(request.body, as: viewModel.actions[place].input))
                }
            } else {
                request.result.flatMap { result in
                    viewModel.effects.firstIndex { $0.name == request.name }.map { .effect($0, result) }
                }
            }
        guard let step else { throw HostFault.unknownCall }
        return (viewModel, step, try parts(viewModel.name) ?? viewModel.initial(in: call.language))
    }

    private func finish(
        _ call: ActionCall, of caller: ViewModelDescription, from old: Part, to new: Part, on parts: Parts
    ) throws -> RunResult {
        var changed: [(name: String, part: Part)] = []
        if !new.isSame(as: old) { changed.append((call.viewModel, new)) }
        let asked = try take(call, of: caller)
        var (posts, effects) = (asked.posts, asked.effects.map { (viewModel: caller.name, request: $0) })
        // What reactions post triggers none.
        for post in asked.posts where caller.keys == nil {
            for other in viewModels where other.name != call.viewModel {
                for (place, _) in other.reactions.enumerated().filter({ $1 == post.name }) {
                    let before = try parts(other.name) ?? other.initial(in: call.language)
                    let present = changed.first { $0.name == other.name }?.part ?? before
                    let after = try other.apply(.reaction(place, post), present, call)
                    changed.removeAll { $0.name == other.name }
                    if !after.isSame(as: before) { changed.append((other.name, after)) }
                    let more = try take(call, of: other)
                    posts += more.posts
                    effects += more.effects.map { (other.name, $0) }
                }
            }
        }
        guard !asked.isEnd || effects.allSatisfy(\.request.isCancel) else {
            throw HostFault.effectOfEnded("an action that ends its entity starts no effects: they would end with it")
        }
        return RunResult(changed: changed, posts: posts, effects: effects, isEnd: asked.isEnd)
    }

    /// What a view model has just asked of its host, checked: effects run later, and then nobody could be told.
    private func take(_ call: ActionCall, of viewModel: ViewModelDescription) throws -> ActionCall.Records {
        let asked = try call.takeRecords()
        guard !asked.isEnd || viewModel.keys == .made else { throw HostFault.notMade }
        for request in asked.effects {
            switch request {
            case .start(let name, let input, _, _):
                guard let effect = effect(name, of: viewModel.name) else {
                    throw HostFault.noSuchEffect("\(viewModel.name) declares no effect \(name)")
                }
                do { _ = try effect.prepare?(input) } catch {
                    throw HostFault.otherInput("the effect \(name) takes another input: \(error)")
                }
            case .act(let path, let name, let input):
                guard let (_, _, action) = action(name, on: path) else {
                    throw HostFault.noSuchAction("no named entity \(path) has an action \(name)")
                }
                _ = try InputFault.read(input, as: action.input)
            case .cancel: break
            }
        }
        return asked
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

/// A view model, or the catalogue's user, asks for what cannot be; a text says which.
@usableFromInline
enum HostFault: Error {
    /// No such view model, action or effect, or an `async` action as a synchronous one.
    case unknownCall
    /// An entity that no action has made shall end.
    case notMade
    /// Two rows of a list by key have the same key.
    case duplicateKey
    case noSuchEffect(String)
    case otherInput(String)
    case noSuchAction(String)
    case effectOfEnded(String)
}
