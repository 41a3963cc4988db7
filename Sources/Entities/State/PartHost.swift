import ViewModels

// The core keeps these types, and a host makes their values.
package typealias Part = ViewModels.Part
package typealias Post = ViewModels.Post
package typealias ModelUnreadable = ViewModels.ModelUnreadable
package typealias User = ViewModels.User

/// The view models of a program, as pure functions that any number of threads may call at once.
package protocol PartHost: Sendable {
    /// The view models, in declared order. It never changes.
    var declarations: [PartDeclaration] { get }

    /// The state of a view model before its first action.
    func initial(_ name: String, language: String) -> Part

    /// Reads a stored form, perhaps of an older version, and derives the outputs.
    ///
    /// - Throws: any error if this build cannot read it: the part is then `model-unreadable`.
    func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part

    /// Derives the outputs of a part in another language.
    func rederive(_ part: Part, _ name: String, language: String) -> Part

    /// Runs a synchronous action, and the reactions to its posts, on copies of the parts in `state`.
    func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes

    /// How an effect runs; nil if this build does not know it.
    func terms(of effect: StoredEffect) -> EffectTerms?

    func perform(_ effect: StoredEffect) async throws -> any Sendable

    /// The action that takes the result of an effect.
    ///
    /// - Parameter result: the result of the work, or the reason why there is no further attempt.
    func call(for effect: StoredEffect, _ result: Result<any Sendable, any Error>, of id: EntityID) -> Call

    /// Whether an error of an effect's work allows no further attempt.
    func isFinal(_ error: any Error) -> Bool

    /// Runs a slow action, as ``run(_:on:)`` does.
    func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes
}

/// The defaults, for a host without effects.
extension PartHost {
    package func terms(of effect: StoredEffect) -> EffectTerms? { nil }

    package func perform(_ effect: StoredEffect) async throws -> any Sendable { () }

    package func call(
        for effect: StoredEffect, _ result: Result<any Sendable, any Error>, of id: EntityID
    ) -> Call {
        Call(part: effect.part, step: EffectStep(effect, ifAttempt: nil, to: nil), body: ())
    }

    package func isFinal(_ error: any Error) -> Bool { false }
}

/// The names that the feed needs of a view model.
package struct PartDeclaration: Sendable {
    /// The view model's name, as in `counter`.
    package let name: String
    /// The names of the outputs, in declared order.
    package let outputs: [String]
    /// Names of facets, and the places of their outputs in ``outputs``.
    package let facets: [String: [Int]]
    /// The members that are the keys of rows, as JSON, by the places of lists by key in ``outputs``.
    let rowKeys: [Int: [UInt8]]
    /// The names of the outputs as members of a JSON object, with their colons.
    let members: [[UInt8]]
    /// The places of all outputs.
    let places: [Int]

    package init(
        name: String, outputs: [String], facets: [String: [Int]] = [:], rowKeys: [Int: [UInt8]] = [:]
    ) {
        (self.name, self.outputs, self.facets, self.rowKeys) = (name, outputs, facets, rowKeys)
        members = outputs.map { Array("\"\($0)\":".utf8) }
        places = Array(outputs.indices)
    }
}

/// An action that a client calls; an object, because the core copies it often.
package final class Call: Sendable {
    /// The view model that declares the action.
    package let part: String
    /// Whether the action runs as a task on the executor, alone in its entity; else it runs at once.
    package let isSlow: Bool
    package let isMaking: Bool
    /// The step of an effect whose result this is; nil for an action.
    package let step: EffectStep?
    /// The action and its input, for the host.
    package let body: any Sendable

    package init(
        part: String, isSlow: Bool = false, isMaking: Bool = false, step: EffectStep? = nil, body: any Sendable
    ) {
        (self.part, self.isSlow, self.isMaking, self.step, self.body) = (part, isSlow, isMaking, step, body)
    }
}

/// The result of an action, with the results of its reactions.
package struct Changes: Sendable {
    /// The parts that the action and its reactions ran on, with their new state.
    package var parts: [(name: String, part: Part)]
    /// The notifications that they posted, in order.
    package var posts: [Post]
    /// The effects that the action starts and cancels, in order; a step of an effect comes first.
    package var effects: [EffectChange]
    package var isEnd: Bool
    /// A new language, and all parts with their outputs in it; only a change of language sets it.
    var language: (initial: InitialParts, parts: [PartState])?

    package init(
        parts: [(name: String, part: Part)] = [], posts: [Post] = [], effects: [EffectChange] = [], isEnd: Bool = false
    ) {
        (self.parts, self.posts, self.effects, self.isEnd) = (parts, posts, effects, isEnd)
    }
}

/// Why an action did not return; its copy of the state is dropped.
package enum ActionError: Error, Sendable {
    /// The view model refuses the action, as it declares (409 or another 4xx).
    case refused(any Error)
    /// The action, a reaction or an output failed (500).
    case failed(any Error)
    /// The action has passed its deadline.
    case timedOut
    /// The executor is full; the action did not start.
    case busy
}

/// The parts that no action has touched: one shared copy for each language.
package final class InitialParts: Sendable {
    let host: any PartHost
    package let language: String
    /// The view models, in declared order.
    package let declarations: [PartDeclaration]
    let parts: [PartState]
    /// The digest of all initial outputs.
    let digest: UInt64
    /// Start values of the parts' digests, made of the names of view model and outputs.
    private let seeds: [UInt64]

    /// Derives the initial outputs of all view models.
    package init(host: any PartHost, language: String) {
        (self.host, self.language) = (host, language)
        declarations = host.declarations
        seeds = declarations.map { declaration in
            var hash = StableHash()
            for name in [declaration.name] + declaration.outputs { hash.add(Array(name.utf8)) }
            return hash.value
        }
        parts = zip(declarations, seeds).enumerated().map { index, pair in
            let part = host.initial(pair.0.name, language: language)
            return PartState(index: index, part: part, stamp: .none, digest: Self.digest(of: part, seed: pair.1))
        }
        digest = parts.reduce(0) { $0 &+ $1.digest }
    }

    /// The place of a view model in ``declarations``; nil if this build has none of that name.
    package func index(of name: String) -> Int? { declarations.firstIndex { $0.name == name } }

    /// A hash of a part's outputs, and of their names and its own; an entity's digest is the sum over its parts.
    func digest(of part: Part, at index: Int) -> UInt64 { Self.digest(of: part, seed: seeds[index]) }

    private static func digest(of part: Part, seed: UInt64) -> UInt64 {
        var hash = StableHash(seed: seed)
        for output in part.outputs { hash.add(output) }
        return StableHash.scramble(hash.value)
    }
}
