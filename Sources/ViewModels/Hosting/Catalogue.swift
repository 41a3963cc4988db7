/// The view models of a server, checked, in declared order.
///
/// All methods are safe on any thread.
package final class Catalogue: Sendable {
    package let viewModels: [ViewModelDescription]
    /// The view models of sessions; the others belong to named entities.
    package var sessionViewModels: [ViewModelDescription] { viewModels.filter { $0.keys == nil } }

    /// Checks the declarations and finds the schemas, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - reservedNames: first segments of the server's own paths, in lower case.
    ///   - reservedProblems: types of the server's own problems.
    package init(
        _ declarations: [Declaration], reservedNames: Set<String> = [], reservedProblems: Set<String> = []
    ) throws(DeclarationFault) {
        let names = declarations.map(\.name)
        if names.isEmpty { throw DeclarationFault("There is no view model to host") }
        if let name = duplicate(in: names) { throw DeclarationFault("Two view models are called \(name)") }
        if let name = names.first(where: { reservedNames.contains($0.lowercased()) }) {
            throw DeclarationFault("\(name): the server itself uses this name")
        }
        viewModels = try declarations.map { declaration throws(DeclarationFault) in try declaration.describe() }
        var kinds = [Refusal.Kind.disabled.type: Refusal.Kind.disabled, Refusal.Kind.invalid.type: .invalid]
        for kind in viewModels.flatMap(\.actions).flatMap(\.refusals).map(\.kind) where kinds[kind.type] != kind {
            guard !reservedProblems.contains(kind.type), kinds.updateValue(kind, forKey: kind.type) == nil else {
                throw DeclarationFault("The refusal \(kind.type) has the type of another problem")
            }
        }
    }

    /// A view model by its name; nil if there is none.
    package func viewModel(_ name: String) -> ViewModelDescription? { viewModels.first { $0.name == name } }

    /// Reads a stored view model, and derives its outputs.
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

    /// An effect of a view model; nil if this build does not declare it.
    package func effect(_ name: String, of viewModel: String) -> HostedEffect? {
        self.viewModel(viewModel)?.effects.first { $0.name == name }
    }

    /// The named entity at a path such as `desks/main`, and its action; nil if the entity or the action cannot exist.
    package func action(
        _ name: String, on path: String
    ) -> (viewModel: ViewModelDescription, key: String, action: ViewModelDescription.Action)? {
        let words = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, let viewModel = viewModel(words[0]), viewModel.keys?.allows(words[1]) == true,
            let action = viewModel.actions.first(where: { $0.name == name })
        else { return nil }
        return (viewModel, words[1], action)
    }

    /// Finds the current state of a view model by its name; nil for the initial state.
    package typealias Parts = @Sendable (String) throws -> Part?

    /// Runs a synchronous action, or takes the result of an effect, and then runs the reactions.
    ///
    /// It changes no state; the host commits the result.
    /// - Throws: ``InputFault``, ``Refusal``; any other error is a fault of the view model.
    package func run(_ call: ActionCall, on parts: Parts) throws -> RunResult {
        let (viewModel, step, part) = try begin(call, on: parts)
        return try finish(call, of: viewModel, from: part, to: viewModel.apply(step, part, call), on: parts)
    }

    /// Runs an action of any kind, `async` or not, as ``run(_:on:)`` does.
    package func runAsync(_ call: ActionCall, on parts: Parts) async throws -> RunResult {
        let (viewModel, step, part) = try begin(call, on: parts)
        guard case .action(let place, let body) = step, viewModel.actions[place].isAsync else {
            return try finish(call, of: viewModel, from: part, to: viewModel.apply(step, part, call), on: parts)
        }
        let new = try await viewModel.applyAsync(place, body, part, call)
        return try finish(call, of: viewModel, from: part, to: new, on: parts)
    }

    private func begin(_ call: ActionCall, on parts: Parts) throws -> (ViewModelDescription, Step, Part) {
        let request = call.request
        var step: Step?
        let viewModel = viewModel(call.viewModel)
        if let viewModel, request.isAction {
            if let place = viewModel.actions.firstIndex(where: { $0.name == request.name }) {
                step = .action(place, try viewModel.actions[place].parse(request.body, isOwn: request.isOwn))
            }
        } else if let viewModel, let result = request.result {
            step = viewModel.effects.firstIndex { $0.name == request.name }.map { .effect($0, result) }
        }
        guard let viewModel, let step else { throw DeclarationFault("no view model declares \(request.name)") }
        return (viewModel, step, try parts(viewModel.name) ?? viewModel.initial(in: call.language))
    }

    private func finish(
        _ call: ActionCall, of caller: ViewModelDescription, from old: Part, to new: Part, on parts: Parts
    ) throws -> RunResult {
        var result = RunResult()
        if !new.isSame(as: old) { result.changed.append((call.viewModel, new)) }
        try take(call, of: caller, &result)
        // The posts of reactions trigger no reactions.
        for post in result.posts where caller.keys == nil {
            for other in viewModels where other.name != call.viewModel {
                for (place, _) in other.reactions.enumerated().filter({ $1 == post.name }) {
                    let before = try parts(other.name) ?? other.initial(in: call.language)
                    let present = result.changed.first { $0.name == other.name }?.part ?? before
                    let reaction = ActionCall(
                        other.name, call.request, language: call.language, time: call.time, user: call.user)
                    let after = try other.apply(.reaction(place, post), present, reaction)
                    result.changed.removeAll { $0.name == other.name }
                    if !after.isSame(as: before) { result.changed.append((other.name, after)) }
                    try take(reaction, of: other, &result)
                }
            }
        }
        if result.isEnd, result.effects.contains(where: { if case .cancel = $0.request { false } else { true } }) {
            throw DeclarationFault("an action that ends its entity cannot start effects: they would end with it")
        }
        return result
    }

    /// Checks a view model's requests and adds them to the result; a later error could not reach the client.
    private func take(_ call: ActionCall, of viewModel: ViewModelDescription, _ result: inout RunResult) throws {
        guard let asked = try call.asked() else { return }
        if asked.isEnd, viewModel.keys != .made { throw DeclarationFault("it ends an entity that no action has made") }
        for (_, request) in asked.effects {
            switch request {
            case .start(let name, let input, _, _):
                guard let effect = effect(name, of: viewModel.name) else {
                    throw DeclarationFault("\(viewModel.name) declares no effect \(name)")
                }
                do { _ = try effect.prepare?(input) } catch {
                    throw DeclarationFault("the effect \(name) does not take its input")
                }
            case .act(let path, let name, let input):
                // Path and body may come from a client, so the log must not have them.
                guard let (_, _, action) = action(name, on: path) else {
                    throw DeclarationFault("it acts on an entity that cannot exist or has no action \(name)")
                }
                do { _ = try action.parse(input, isOwn: true) } catch {
                    throw DeclarationFault("the action \(name) does not take the body that an effect sends")
                }
            case .cancel: break
            }
        }
        result.effects += asked.effects
        result.posts += asked.posts
        result.isEnd = result.isEnd || asked.isEnd
    }
}

extension ViewModelDescription.Action {
    /// Parses and checks a body; an action without a body also accepts `null` and `{}`.
    ///
    /// - Parameter isOwn: whether the application sends it, so that the limits for clients do not hold.
    fileprivate func parse(_ body: [UInt8], isOwn: Bool) throws(InputFault) -> JSONValue? {
        if body.isEmpty, input == nil { return nil }
        if body.isEmpty { throw .malformed(detail: "The action takes a JSON body, and the request has none.") }
        let value = try JSONValue(parsing: body, isBody: !isOwn)
        if input == nil, value != .null, value != .object([:]) {
            throw InputFault(path: [], "must be {} or null: the action takes no body")
        }
        try input?.check(value)
        return value
    }
}
