import Foundation

/// The state of one view model in one entity, with its outputs in the entity's language.
@usableFromInline
package final class Part: Sendable {
    /// The model: the view model itself, or the model of a class.
    @usableFromInline package let value: any Sendable
    /// The version of the stored form.
    package let version: Int
    /// The stored form, a JSON object.
    @usableFromInline package let stored: [UInt8]
    /// The JSON of each output, in declared order.
    @usableFromInline package let outputs: [[UInt8]]
    /// The rows of each list by key, by the index of the output.
    package let rows: [Int: [Row]]
    /// Stored members that this build does not know.
    @usableFromInline package let unknown: JSONObject

    /// A row of a list by key: the key as JSON, and the bytes of the row in the JSON of its output.
    @usableFromInline package typealias Row = (key: [UInt8], range: Range<Int>)

    @usableFromInline
    package init(
        value: any Sendable, version: Int, stored: [UInt8], outputs: [[UInt8]], rows: [Int: [Row]] = [:],
        unknown: JSONObject = JSONObject()
    ) {
        (self.value, self.version, self.stored, self.outputs) = (value, version, stored, outputs)
        (self.rows, self.unknown) = (rows, unknown)
    }

    /// The old text if it is equal; otherwise a copy without spare capacity.
    @usableFromInline
    static func text(_ text: [UInt8], unless same: [UInt8]?) -> [UInt8] {
        if let same, same == text { return same }
        return text.withUnsafeBufferPointer { Array($0) }
    }

    /// Whether the stored form and the outputs are the same, byte for byte.
    ///
    /// Two encodings of é are equal in Swift, but differ in bytes, so they are two states.
    package func isSame(as other: Part) -> Bool { stored == other.stored && outputs == other.outputs }
}

/// A step of a view model; the host runs it after it reads the model and before it derives the outputs.
@usableFromInline
enum Step: Sendable {
    /// No change: the host only derives the outputs.
    case derive
    /// An action, by its index, with its body.
    case action(Int, JSONValue?)
    /// A reaction, by its index.
    case reaction(Int, Post)
    /// The result of an effect, by its index.
    case effect(Int, Result<any Sendable, any Error>)
}

/// Makes a view model from its model, runs a step, and derives the outputs.
///
/// The methods for synchronous steps are inlinable, so that the view model's module specializes them for its type. The
/// unspecialized code takes five times as long.
extension Interface {
    @inlinable
    func apply(
        _ step: Step, to part: Part, in call: ActionCall, with services: Root.Services
    ) throws -> Part {
        let context = ActionContext(services: services, call: call)
        var root = Root(model: model(of: part), context: context)
        switch step {
        case .derive: break
        case .action(let place, let body):
            guard case .now(let work) = actions[place].work else { preconditionFailure("The action is async.") }
            try work(&root, body, context)
        case .effect(let place, let result): try effects[place].take(&root, result, context)
        case .reaction(let place, let post):
            let notification = Notification(name: Notification.Name(post.name), userInfo: post.userInfo)
            try reactions[place].react(&root, notification, context)
        }
        return try derive(root, call.language, after: part)
    }

    func applyAsync(
        _ place: Int, _ body: JSONValue?, to part: Part, in call: ActionCall, with services: Root.Services
    ) async throws -> Part {
        guard case .later(let work) = actions[place].work else { preconditionFailure("The action is not async.") }
        let context = ActionContext(services: services, call: call)
        var root = Root(model: model(of: part), context: context)
        try await work(&root, body, context)
        return try derive(root, call.language, after: part)
    }

    @inlinable
    func model(of part: Part) -> Root.Model {
        guard let model = part.value as? Root.Model else { preconditionFailure("The part is of another view model.") }
        return model
    }

    /// Derives the outputs; unchanged outputs share their memory with the old part.
    @inlinable
    func derive(_ root: Root, _ language: Language, after old: Part) throws -> Part {
        let context = OutputContext(language: language)
        var (shown, text): ([[UInt8]], [UInt8]) = ([], [])
        shown.reserveCapacity(outputs.count)
        text.reserveCapacity(256)
        var rows: [Int: [Part.Row]] = [:]
        for place in outputs.indices {
            if let list = try outputs[place].append(root, context, &text) { rows[place] = list }
            shown.append(Part.text(text, unless: place < old.outputs.count ? old.outputs[place] : nil))
            text.removeAll(keepingCapacity: true)
        }
        let model = root.model
        try JSON.append(model: model, and: old.unknown, to: &text)
        let stored = Part.text(text, unless: old.stored)
        return Part(
            value: model, version: Root.Model.version, stored: stored, outputs: shown, rows: rows, unknown: old.unknown)
    }
}
