import Entities
import Foundation
import ViewModels

/// Runs the view models of a server for its entities.
package final class CatalogueHost: PartHost {
    package let declarations: [PartDeclaration]
    let catalogue: Catalogue
    let languages: Languages
    private let unreadable: @Sendable (ModelUnreadable) -> Void

    /// Makes the kinds of entities of a catalogue: sessions, and named entities with one view model each.
    ///
    /// - Parameter unreadable: the host calls it for each stored view model that this build cannot read, on any thread.
    /// - Throws: the error of a view model whose initial outputs cannot be derived in a language.
    package static func kinds(
        of catalogue: Catalogue, languages: Languages,
        unreadable: @escaping @Sendable (ModelUnreadable) -> Void = { _ in }
    ) throws -> EntityKinds {
        var named: [String: EntityKind] = [:]
        for viewModel in catalogue.viewModels {
            for language in languages.all {
                try naming("\(viewModel.name) in \(language.rawValue)") { _ = try viewModel.initial(in: language) }
            }
            guard let keys = viewModel.keys else { continue }
            let host = CatalogueHost(catalogue, of: [viewModel], languages, unreadable)
            named[viewModel.name] = EntityKind(host, existsByName: keys.names != nil)
        }
        let sessions = CatalogueHost(catalogue, of: catalogue.sessionViewModels, languages, unreadable)
        return EntityKinds(sessions: sessions, named: named)
    }

    private init(
        _ catalogue: Catalogue, of viewModels: [ViewModelDescription], _ languages: Languages,
        _ unreadable: @escaping @Sendable (ModelUnreadable) -> Void
    ) {
        (self.catalogue, self.languages, self.unreadable) = (catalogue, languages, unreadable)
        declarations = viewModels.map { viewModel in
            PartDeclaration(
                name: viewModel.name, outputs: viewModel.outputs.map(\.name),
                facets: Dictionary(uniqueKeysWithValues: viewModel.facets.map { ($0.name, viewModel.places(of: $0)) }),
                rowKeys: Dictionary(
                    uniqueKeysWithValues: viewModel.outputs.enumerated().compactMap { place, output in
                        output.rowKey.map { (place, JSONValue.string($0).text) }
                    }))
        }
    }

    package func initial(_ name: String, language: String) -> Part {
        guard let part = try? catalogue.viewModel(name)?.initial(in: languages.spoken(language)) else {
            preconditionFailure("The host can no longer derive the initial outputs of \(name).")
        }
        return part
    }

    package func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part {
        do {
            return try catalogue.read(name, stored: stored, version: version, language: languages.spoken(language))
        } catch {
            unreadable(error)
            throw error
        }
    }

    package func rederive(_ part: Part, _ name: String, language: String) -> Part {
        (try? catalogue.viewModel(name)?.derive(part, in: languages.spoken(language))) ?? part
    }

    package func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes {
        do { return Changes(try catalogue.run(action(call, on: state), on: state.part)) } catch {
            throw Self.failure(error)
        }
    }

    package func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes {
        do { return Changes(try await catalogue.runAsync(action(call, on: state), on: state.part)) } catch {
            throw Self.failure(error)
        }
    }

    /// - Throws: ``NoAccess`` if the caller may not see the named entity of the action.
    private func action(_ call: Call, on state: EntityState) throws -> ActionCall {
        guard let request = call.body as? ActionRequest else { preconditionFailure("The call is of another host.") }
        if request.key != nil, !call.isMaking, !request.isOwn, sight(of: state, for: request.user) == nil {
            throw NoAccess()
        }
        return ActionCall(
            call.part, request, language: languages.spoken(state.language), time: Date(), user: state.user)
    }

    // MARK: Effects

    package func terms(of effect: StoredEffect) -> EffectTerms? {
        catalogue.effect(effect.name, of: effect.part).map {
            EffectTerms(attempts: $0.attempts, timeout: $0.timeout, isTimer: $0.prepare == nil)
        }
    }

    package func perform(_ effect: StoredEffect) async throws -> any Sendable {
        let work = try catalogue.effect(effect.name, of: effect.part)?.prepare?(Array(effect.input.utf8))
        return try await work?(effect.id, effect.attempts) ?? ()
    }

    package func call(
        for effect: StoredEffect, _ result: Result<any Sendable, any Error>, of id: EntityID
    ) -> Call {
        // A late success still counts as the result. A failure counts only for its own attempt.
        let attempts: Int? = if case .success = result { nil } else { effect.attempts }
        return Call(
            part: effect.part, step: EffectStep(effect, ifAttempt: attempts, to: nil),
            body: ActionRequest(effect.name, result: result, sessionID: id.text, key: id.key, isOwn: true))
    }

    package func isFinal(_ error: any Error) -> Bool { error is Refusal || (error as? ActFailure)?.isFinal == true }

    private static func failure(_ error: any Error) -> ActionError {
        error is Refusal || error is InputFault || error is NoAccess ? .refused(error) : .failed(error)
    }

    /// The outputs of a named entity that a caller may see; nil for no access.
    func sight(of state: EntityState, for user: User?) -> Sight? {
        // An unreadable part has no outputs to hide, so that the caller gets the error 500.
        guard !state[0].isUnreadable else { return .all }
        guard let viewModel = catalogue.viewModel(declarations[0].name) else { return nil }
        return switch viewModel.access(user, state[0].part) {
        case .none: nil
        case .facet(let facet): Sight(facet: facet)
        case .all: .all
        }
    }
}

extension Languages {
    /// The language for the stored tag of an entity; another build may have stored it.
    fileprivate func spoken(_ tag: String) -> Language {
        all.first { $0.rawValue == tag } ?? Language(tag).flatMap(lookup) ?? standard
    }
}

/// The caller may not see the entity.
struct NoAccess: Error {}

extension Changes {
    fileprivate init(_ run: RunResult) {
        self.init(
            parts: run.changed, posts: run.posts,
            effects: run.effects.map { EffectChange($0.request, of: $0.viewModel) }, isEnd: run.isEnd)
    }
}

extension EffectChange {
    fileprivate init(_ request: EffectRequest, of viewModel: String) {
        func effect(_ name: String, key: String? = nil, _ input: [UInt8]) -> StoredEffect {
            StoredEffect(
                id: UUID().uuidString.lowercased(), part: viewModel, name: name, key: key,
                input: String(decoding: input, as: UTF8.self), due: 0)
        }
        switch request {
        case .start(let name, let input, let key, let delay):
            self = .start(effect(name, key: key, input), after: delay)
        case .cancel(let key): self = .cancel(part: viewModel, key: key)
        case .act(let entity, let action, let body):
            let input = ActInput(entity: entity, action: action, body: String(decoding: body, as: UTF8.self))
            self = .start(effect(StoredEffect.act(on: entity), input.json), after: nil)
        }
    }
}
