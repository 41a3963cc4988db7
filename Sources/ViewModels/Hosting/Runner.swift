import Foundation

/// The step of a view model between its model and its outputs.
@usableFromInline
enum Step: Sendable {
    /// Nothing: the outputs alone are derived.
    case derive
    /// A synchronous action, by its place, with its body.
    case action(Int, JSONValue?)
    /// A reaction, by its place.
    case reaction(Int, Post)
    /// The result of an effect, by its place.
    case effect(Int, Result<any Sendable, any Error>)
}

/// Makes a view model from its model, takes a step, derives the outputs, and forgets the view model.
///
/// The methods are inlinable, so that the view model's module compiles them for its type: for any type, the same code
/// takes five times as long.
@usableFromInline
struct Runner<Root: Hostable>: Sendable {
    @usableFromInline let interface: Interface<Root>
    @usableFromInline let services: Root.Services

    @usableFromInline
    init(_ interface: Interface<Root>, _ services: Root.Services) {
        (self.interface, self.services) = (interface, services)
    }

    @inlinable
    func apply(_ step: Step, to part: Part, in call: ActionCall) throws -> Part {
        let context = ActionContext(services: services, call: call)
        var root = Root(model: try model(of: part), context: context)
        switch step {
        case .derive: break
        case .action(let place, let body):
            guard case .now(let work) = interface.actions[place].work else { throw HostFault.unknownCall }
            try work(&root, body, context)
        case .effect(let place, let result): try interface.effects[place].take(&root, result, context)
        case .reaction(let place, let post): try interface.reactions[place].react(&root, post.notification, context)
        }
        return try derive(root, call.language, after: part)
    }

    @inlinable
    func applyAsync(_ step: Step, to part: Part, in call: ActionCall) async throws -> Part {
        guard case .action(let place, let body) = step, case .later(let work) = interface.actions[place].work else {
            return try apply(step, to: part, in: call)
        }
        let context = ActionContext(services: services, call: call)
        var root = Root(model: try model(of: part), context: context)
        try await work(&root, body, context)
        return try derive(root, call.language, after: part)
    }

    @inlinable
    func model(of part: Part) throws -> Root.Model {
        guard let model = part.model as? Root.Model else { throw HostFault.unknownCall }
        return model
    }

    /// Derives the outputs; unchanged ones share their memory with the part before.
    @inlinable
    func derive(_ root: Root, _ language: Language, after old: Part) throws -> Part {
        let context = OutputContext(language: language)
        var (shown, text): ([[UInt8]], [UInt8]) = ([], [])
        shown.reserveCapacity(interface.outputs.count)
        text.reserveCapacity(256)
        var rows: [Int: [RowPlace]] = [:]
        for place in interface.outputs.indices {
            if let list = try interface.outputs[place].append(root, context, &text) { rows[place] = list }
            shown.append(Part.text(text, unless: place < old.outputs.count ? old.outputs[place] : nil))
            text.removeAll(keepingCapacity: true)
        }
        let model = root.model
        try JSON.append(model: model, and: old.unknown, to: &text)
        let stored = Part.text(text, unless: old.stored)
        return Part(model: model, unknown: old.unknown, stored: stored, outputs: shown, rows: rows)
    }
}

/// The state of one view model in one session, with its outputs in the session's language.
@usableFromInline
package final class Part: Sendable {
    /// The view model, or the model of a class.
    @usableFromInline let model: any Sendable
    /// Stored members that this build does not know.
    @usableFromInline package let unknown: JSONObject
    /// The stored form, a JSON object.
    @usableFromInline package let stored: [UInt8]
    /// The outputs as JSON, in declared order.
    @usableFromInline package let outputs: [[UInt8]]
    /// The rows of lists by key, by the places of their outputs.
    @usableFromInline package let rows: [Int: [RowPlace]]

    @usableFromInline
    init(
        model: any Sendable, unknown: JSONObject, stored: [UInt8], outputs: [[UInt8]], rows: [Int: [RowPlace]] = [:]
    ) {
        (self.model, self.unknown, self.stored, self.outputs) = (model, unknown, stored, outputs)
        self.rows = rows
    }

    /// A text in memory of its own size, or in that of an equal text.
    @usableFromInline
    static func text(_ text: [UInt8], unless same: [UInt8]?) -> [UInt8] {
        if let same, same == text { return same }
        return text.withUnsafeBufferPointer { Array($0) }
    }

    /// Whether the other state is stored and shown in the same way, byte for byte.
    ///
    /// Two spellings of a text that Swift calls equal differ in bytes, so they are two states.
    package func isSame(as other: Part) -> Bool { stored == other.stored && outputs == other.outputs }
}
