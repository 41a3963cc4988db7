@testable import Entities

/// A build with two counters and a greeting, whose actions are closures.
struct Counters: PartHost {
    /// An action on a counter.
    struct Action: Sendable {
        let run: @Sendable (inout Int) throws -> Void
        var posts: [Post] = []
        /// The counter that reacts.
        var reaction: String?
        /// Whether the action ends its entity.
        var isEnd = false
        var effects: [EffectChange] = []

        init(posts: [Post] = [], reaction: String? = nil, _ run: @escaping @Sendable (inout Int) throws -> Void) {
            (self.run, self.posts, self.reaction) = (run, posts, reaction)
        }

        /// Increments, and changes effects.
        static func with(_ effects: EffectChange...) -> Action {
            var action = increment
            action.effects = effects
            return action
        }

        /// Increments once more, and ends the entity.
        static var end: Action {
            var action = increment
            action.isEnd = true
            return action
        }

        static let increment = Action { $0 += 1 }
        /// Changes the stored form, and no output.
        static let hide = Action { $0 += 1_000 }
        static let nothing = Action { _ in }
        static let refuse = Action { count in
            count += 1
            throw Refused()
        }
        static let fail = Action { count in
            count += 1
            throw Broken()
        }
    }

    struct Refused: Error {}
    struct Broken: Error {}

    /// Appended to each text, as another build may.
    var suffix = ""
    /// A counter whose stored form this build cannot read.
    var unreadable: String?
    /// Runs before an async action.
    var pause: @Sendable () async -> Void = {}

    var declarations = ["counter", "other"].map {
        PartDeclaration(name: $0, outputs: ["text", "odd"], facets: ["parity": [1]])
    }

    private func part(_ count: Int, _ language: String) -> Part {
        let shown = count % 1_000
        let outputs = ["\"\(language) \(shown)\(suffix)\"", "\(shown % 2 == 1)"].map { Array($0.utf8) }
        return Part(value: count, version: 1, stored: Array("\(count)".utf8), outputs: outputs)
    }

    private func count(_ part: Part) -> Int { part.value as? Int ?? -1 }

    func initial(_ name: String, language: String) -> Part { part(0, language) }

    func read(_ name: String, stored: [UInt8], version: Int, language: String) throws -> Part {
        guard name != unreadable, let count = Int(String(decoding: stored, as: UTF8.self)) else { throw Broken() }
        return part(count, language)
    }

    func rederive(_ part: Part, _ name: String, language: String) -> Part { self.part(count(part), language) }

    func run(_ call: Call, on state: EntityState) throws(ActionError) -> Changes {
        guard let action = call.body as? Action else { throw .failed(Broken()) }
        do {
            var count = count(try state.part(call.part))
            try action.run(&count)
            var changes = Changes(
                parts: [(call.part, part(count, state.language))], posts: action.posts, effects: action.effects,
                isEnd: action.isEnd)
            if let reaction = action.reaction {
                changes.parts.append((reaction, part(self.count(try state.part(reaction)) + 1, state.language)))
            }
            return changes
        } catch let error as Refused {
            throw .refused(error)
        } catch {
            throw .failed(error)
        }
    }

    func runAsync(_ call: Call, on state: EntityState) async throws(ActionError) -> Changes {
        await pause()
        return try run(call, on: state)
    }
}

extension EntityState {
    /// The text of an output, as JSON.
    func text(_ name: String = "counter", _ output: Int = 0) -> String {
        String(decoding: self[initial.index(of: name) ?? 0].part.outputs[output], as: UTF8.self)
    }
}

extension Call {
    static func inline(_ action: Counters.Action, on part: String = "counter") -> Call {
        Call(part: part, body: action)
    }
    static let making = Call(part: "counter", isMaking: true, body: Counters.Action.increment)
    static func slow(_ action: Counters.Action, on part: String = "counter") -> Call {
        Call(part: part, isSlow: true, body: action)
    }
}

extension AskKey {
    /// A key that remembers what HTTP remembers.
    static func named(_ name: String, request: String = "request") -> AskKey {
        AskKey(digest: KeyDigest(key: Array(name.utf8), of: nil), request: Array(request.utf8), window: .seconds(60)) {
            outcome in
            switch outcome {
            case .done(let state): Remembered(status: 200, body: Array(state.text().utf8))
            case .refused(.action, let state): Remembered(status: 409, body: Array(state.text().utf8))
            case .failed(.timedOut): Remembered(status: 504, body: [])
            case .failed: Remembered(status: 500, body: [])
            default: nil
            }
        }
    }
}

extension Outcome {
    /// The outcome in words, with the counter's text.
    var words: String {
        switch self {
        case .done(let state): "done \(state.text())"
        case .refused(.action, let state): "refused at \(state.text())"
        case .refused(.preconditionFailed, let state): "412 at \(state.text())"
        case .refused(.exists, let state): "exists at \(state.text())"
        case .refused(.keyMismatch, _): "mismatch"
        case .replayed(let remembered):
            "replayed \(remembered.status) \(String(decoding: remembered.body, as: UTF8.self))"
        case .failed(.timedOut): "timed out"
        case .failed(.tooLarge): "too large"
        case .failed(.action(let error)): "failed: \(type(of: error))"
        case .unavailable(let reason): "\(reason)"
        }
    }
}
