import Foundation

/// What is done to a view model between its model and its outputs.
@usableFromInline
enum Step: Sendable {
    /// Nothing: the outputs alone are derived.
    case derive
    /// A synchronous action, by its place, with its body.
    case action(Int, JSONValue?)
    /// A reaction, by its place.
    case reaction(Int, Post)
}

/// Makes a view model from its model, takes a step, derives the outputs, and forgets the view model.
///
/// A view model that is a value is its own model. The methods are inlinable, so that the view model's module compiles
/// them for its type: for any type, the same code takes five times as long.
@usableFromInline
struct Runner<Root: Hostable, Model: StoredModel>: Sendable {
    @usableFromInline let services: Root.Services
    @usableFromInline let make: @Sendable (Model, Root.Context) -> Root
    @usableFromInline let model: @Sendable (Root) -> Model
    @usableFromInline let outputs: [@Sendable (Root, OutputContext, inout [UInt8]) throws -> Void]
    @usableFromInline let works: [Action<Root>.Work]
    @usableFromInline let reactions: [@Sendable (inout Root, Notification, Root.Context) throws -> Void]

    @usableFromInline
    init(
        _ interface: Interface<Root>, _ services: Root.Services,
        make: @escaping @Sendable (Model, Root.Context) -> Root, model: @escaping @Sendable (Root) -> Model
    ) {
        (self.services, self.make, self.model) = (services, make, model)
        outputs = interface.outputs.map(\.append)
        works = interface.actions.map(\.work)
        reactions = interface.reactions.map(\.react)
    }

    @inlinable
    func apply(_ step: Step, to part: Part, in turn: ActionTurn) throws -> Part {
        let context = ActionContext(services: services, turn: turn)
        var root = try make(model(of: part), context)
        switch step {
        case .derive: break
        case .action(let place, let body):
            guard case .now(let work) = works[place] else { throw CallFault.isAsync }
            try work(&root, body, context)
        case .reaction(let place, let post): try reactions[place](&root, post.notification, context)
        }
        return try derive(root, turn.language, after: part)
    }

    @inlinable
    func applyAsync(_ action: Int, _ body: JSONValue?, to part: Part, in turn: ActionTurn) async throws -> Part {
        guard case .later(let work) = works[action] else { return try apply(.action(action, body), to: part, in: turn) }
        let context = ActionContext(services: services, turn: turn)
        var root = try make(model(of: part), context)
        try await work(&root, body, context)
        return try derive(root, turn.language, after: part)
    }

    @inlinable
    func model(of part: Part) throws -> Model {
        guard let model = part.model as? Model else { throw CallFault.otherViewModel }
        return model
    }

    /// Derives the outputs; unchanged ones share their memory with the part before.
    @inlinable
    func derive(_ root: Root, _ language: Language, after old: Part) throws -> Part {
        let context = OutputContext(language: language)
        var (shown, text): ([[UInt8]], [UInt8]) = ([], [])
        shown.reserveCapacity(outputs.count)
        text.reserveCapacity(256)
        for place in outputs.indices {
            try outputs[place](root, context, &text)
            shown.append(Part.text(text, unless: place < old.outputs.count ? old.outputs[place] : nil))
            text.removeAll(keepingCapacity: true)
        }
        let model = model(root)
        try JSON.appendAny(model, to: &text)
        if !old.unknown.isEmpty { text = Part.text(of: text, and: old.unknown) }
        let stored = Part.text(text, unless: old.stored)
        return Part(model: model, unknown: old.unknown, stored: stored, outputs: shown)
    }
}

/// A call that the catalogue's user must not make.
@usableFromInline
enum CallFault: Error {
    case noSuchAction
    case isAsync
    case otherViewModel
}
