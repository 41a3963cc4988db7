import Locking

/// The view models of a server, checked, in declared order.
///
/// All methods may be called from any thread. A name must be that of a view model in ``viewModels``.
package final class Catalogue: Sendable {
    /// What the view models declare.
    package let viewModels: [ViewModelDescription]
    private let hosts: [Host]
    private let names: [String]
    /// The parts that no session has changed, by view model; of few languages.
    private let initials: Lock<[[Language: Part]]>
    /// For each view model, the outputs' names as they stand in its JSON object.
    private let keys: [[[UInt8]]]

    /// Checks the declarations and finds the schemas, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - reservedNames: first segments of the server's own paths, in lower case.
    ///   - reservedProblems: types of the server's own problems, in lower case.
    package init(
        _ declarations: [Declaration], reservedNames: Set<String> = [], reservedProblems: Set<String> = []
    ) throws(DeclarationFault) {
        var all = declarations.isEmpty ? ["There is no view model to host."] : []
        all += duplicates(in: declarations.map(\.name)).map { "Two view models are called \($0)." }
        var hosts: [Host] = []
        for declaration in declarations {
            var complaints: [String] = []
            if reservedNames.contains(declaration.name.lowercased()) { complaints.append("has a name of the server") }
            if let host = declaration.host(&complaints) { hosts.append(host) }
            all += complaints.map { "\(declaration.name): \($0)." }
        }
        var kinds: [String: Refusal.Kind] = [:]
        for kind in hosts.flatMap(\.description.actions).flatMap(\.refusals).map(\.kind) {
            let type = kind.type.lowercased()
            let other = kinds.updateValue(kind, forKey: type)
            if other.map({ $0 != kind }) ?? false { all.append("The refusal \(kind.type) has two statuses or titles.") }
            if !Refusal.Kind.builtIn.contains(kind), reservedProblems.contains(type) {
                all.append("The refusal \(kind.type) has the type of a problem of the server.")
            }
        }
        guard all.isEmpty else { throw DeclarationFault(all) }
        self.hosts = hosts
        viewModels = hosts.map(\.description)
        names = viewModels.map(\.name)
        initials = Lock(Array(repeating: [:], count: hosts.count))
        keys = viewModels.map { $0.outputs.map { Array("\"\($0.name)\":".utf8) } }
    }

    /// The description of a view model; nil where there is none of this name.
    package func viewModel(_ name: String) -> ViewModelDescription? {
        names.firstIndex(of: name).map { viewModels[$0] }
    }

    /// The state that a session has before an action changes it.
    package func initial(_ name: String, language: Language) throws -> Part {
        try initial(place(name), in: language)
    }

    /// Reads what a version has stored.
    package func read(
        _ name: String, stored: [UInt8], version: Int, language: Language
    ) throws(ModelUnreadable) -> Part {
        let fault = { ModelUnreadable(viewModel: name, reason: $0, storedVersion: version, version: $1) }
        guard let place = names.firstIndex(of: name) else { throw fault(.notHosted, 0) }
        let host = hosts[place]
        let reason: ModelUnreadable.Reason
        do {
            let part = try host.read(stored, version)
            if let part = try? host.derive(part, in: language) { return part }
            reason = .outputs
        } catch { reason = error as? ModelUnreadable.Reason ?? .notJSON }
        throw fault(reason, host.description.version)
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
            let step = Step.action(start.action, start.body)
            return try finish(start, with: hosts[start.place].apply(step, start.part, start.turn), on: parts)
        } catch { throw checked(error, of: start) }
    }

    /// Runs an action of any kind, `async` or not, as ``run(_:on:)`` does.
    package func runAsync(_ call: ActionCall, on parts: Parts) async throws -> RunResult {
        let start = try begin(call, on: parts)
        do {
            let part = try await hosts[start.place].applyAsync(start.action, start.body, start.part, start.turn)
            return try finish(start, with: part, on: parts)
        } catch { throw checked(error, of: start) }
    }

    /// The outputs as one JSON object in declared order, or those of a facet in its order.
    package func body(of part: Part, _ name: String, facet: ViewModelDescription.Facet? = nil) -> [UInt8] {
        guard let place = names.firstIndex(of: name) else { return [] }
        var text: [UInt8] = []
        text.reserveCapacity(part.outputs.count * 32)
        text.append(UInt8(ascii: "{"))
        func append(_ output: Int) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: keys[place][output])
            text.append(contentsOf: part.outputs[output])
        }
        if let facet { facet.outputs.forEach(append) } else { part.outputs.indices.forEach(append) }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private func place(_ name: String) throws -> Int {
        guard let place = names.firstIndex(of: name) else { throw CallFault.noSuchAction }
        return place
    }

    private func initial(_ place: Int, in language: Language) throws -> Part {
        if let part = initials.withLock({ $0[place][language] }) { return part }
        let part = try hosts[place].derive(hosts[place].initial, in: language)
        initials.withLock { if $0[place].count < 64 { $0[place][language] = part } }
        return part
    }

    /// An action that is about to run.
    private struct Start {
        let place: Int
        let action: Int
        let body: JSONValue?
        let part: Part
        let turn: ActionTurn
    }

    private func begin(_ call: ActionCall, on parts: Parts) throws -> Start {
        let place = try place(call.viewModel)
        let actions = viewModels[place].actions
        guard let action = actions.firstIndex(where: { $0.name == call.action }) else { throw CallFault.noSuchAction }
        return Start(
            place: place, action: action, body: try InputFault.read(call.body, as: actions[action].input),
            part: try parts(call.viewModel) ?? initial(place, in: call.language),
            turn: ActionTurn(language: call.language, time: call.time, sessionID: call.sessionID))
    }

    /// The error, or an ``UndeclaredRefusal`` for a refusal that the action must not make.
    private func checked(_ error: any Error, of start: Start) -> any Error {
        guard let refusal = error as? Refusal, !Refusal.Kind.builtIn.contains(refusal.kind) else { return error }
        let declared = viewModels[start.place].actions[start.action].refusals
        return declared.contains { $0.kind == refusal.kind } ? refusal : UndeclaredRefusal(kind: refusal.kind)
    }

    private func finish(_ start: Start, with part: Part, on parts: Parts) throws -> RunResult {
        var changed: [(name: String, part: Part)] = []
        if !part.isSame(as: start.part) { changed.append((names[start.place], part)) }
        // The list is of before the reactions: what they post triggers none.
        let posts = start.turn.posts
        for post in posts {
            for (place, host) in hosts.enumerated() where place != start.place {
                let name = names[place]
                for (reaction, _) in host.reactions.enumerated().filter({ $1 == post.name }) {
                    let before = try parts(name) ?? initial(place, in: start.turn.language)
                    let present = changed.first { $0.name == name }?.part ?? before
                    let after = try host.apply(.reaction(reaction, post), present, start.turn)
                    changed.removeAll { $0.name == name }
                    if !after.isSame(as: before) { changed.append((name, after)) }
                }
            }
        }
        return RunResult(changed: changed, posts: posts.isEmpty ? [] : start.turn.posts)
    }
}

/// A view model refused with a kind of its own that the action does not declare.
package struct UndeclaredRefusal: Error {
    /// The kind.
    package let kind: Refusal.Kind
}
