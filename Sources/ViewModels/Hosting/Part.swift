import Foundation

/// The state of one view model in one session, with its outputs in the session's language.
@usableFromInline
package final class Part: Sendable {
    /// The view model, or the model of a class.
    @usableFromInline let model: any Sendable
    /// Stored members that this build does not know, as text between the braces of an object.
    @usableFromInline package let unknown: [UInt8]
    /// What is stored: a JSON object.
    @usableFromInline package let stored: [UInt8]
    /// The outputs as JSON, in declared order.
    @usableFromInline package let outputs: [[UInt8]]

    @usableFromInline
    init(model: any Sendable, unknown: [UInt8], stored: [UInt8], outputs: [[UInt8]]) {
        (self.model, self.unknown, self.stored, self.outputs) = (model, unknown, stored, outputs)
    }

    /// A text in memory of its own size, or in that of an equal text.
    @usableFromInline
    static func text(_ text: [UInt8], unless same: [UInt8]?) -> [UInt8] {
        if let same, same == text { return same }
        return text.withUnsafeBufferPointer { Array($0) }
    }

    /// The text of an object with more members, which stand as between the braces of another object.
    @usableFromInline
    static func text(of object: [UInt8], and members: [UInt8]) -> [UInt8] {
        object.dropLast() + (object.count > 2 ? [UInt8(ascii: ",")] : []) + members + [UInt8(ascii: "}")]
    }

    /// Whether the other state is stored and shown in the same way, byte for byte.
    ///
    /// Two spellings of a text that Swift calls equal differ in bytes, so they are two states.
    package func isSame(as other: Part) -> Bool { stored == other.stored && outputs == other.outputs }
}

/// A request for an action.
package struct ActionCall: Sendable {
    package let viewModel: String
    package let action: String
    /// The JSON body as it was sent; empty for none.
    package let body: [UInt8]
    /// The session's language, in which all its parts are.
    package let language: Language
    /// The present time.
    package let time: Date
    /// The public name of the session.
    package let sessionID: String

    package init(
        _ viewModel: String, _ action: String, body: [UInt8] = [], language: Language, time: Date, sessionID: String
    ) {
        (self.viewModel, self.action, self.body) = (viewModel, action, body)
        (self.language, self.time, self.sessionID) = (language, time, sessionID)
    }
}

/// What an action and the reactions to it have changed.
package struct RunResult: Sendable {
    /// The parts whose stored form or outputs changed, each once.
    package let changed: [(name: String, part: Part)]
    /// What was posted, in order, for the session's NotificationCenter.
    package let posts: [Post]
}

/// What a view model declares, in declared order.
package struct ViewModelDescription: Sendable {
    package struct Output: Sendable {
        package let name: String
        package let summary: String
        package let schema: JSONSchema
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
    }

    package struct Facet: Sendable {
        package let name: String
        package let summary: String
        /// The places of its outputs among all outputs, in the facet's order.
        package let outputs: [Int]
    }

    package let name: String
    package let summary: String
    /// The version of the stored form.
    package let version: Int
    package let outputs: [Output]
    package let actions: [Action]
    package let facets: [Facet]
}
