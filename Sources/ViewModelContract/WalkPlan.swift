import ViewModels

/// Which action a walk asks for next, and with which body: every action once, in declared order and with its example,
/// then by chance.
struct WalkPlan {
    /// An action to ask for.
    struct Ask {
        let action: Int
        let body: String
        let isExample: Bool
        /// Why the example cannot be sent in this state, in a clause that follows it; nil where there is one, or a body that is none.
        var fault: String?
    }

    private let actions: [ActionDeclaration]
    private let samples: [SampleInput]
    private var generator: SeededGenerator
    private var count = 0

    init(actions: [ActionDeclaration], samples: [SampleInput], seed: UInt64) {
        self.actions = actions
        self.samples = samples
        generator = SeededGenerator(seed: seed)
    }

    /// What to ask an instance for next; nil where there is no action.
    mutating func next(on hosted: any HostedViewModel) -> Ask? {
        guard !actions.isEmpty else { return nil }
        defer { count += 1 }
        guard count >= actions.count else { return example(of: count, on: hosted) }
        let action = Int.random(in: actions.indices, using: &generator)
        guard let input = actions[action].input else { return example(of: action, on: hosted) }
        let given = samples.filter { $0.action == actions[action].name.rawValue }.map(\.json)
        if !given.isEmpty, generator.oneIn(2) {
            return Ask(action: action, body: generator.pick(given), isExample: false)
        }
        if !generator.oneIn(3), let body = input.schema.madeUp(by: &generator) {
            return Ask(action: action, body: body, isExample: false)
        }
        return example(of: action, on: hosted)
    }

    private func example(of action: Int, on hosted: any HostedViewModel) -> Ask {
        do {
            let example = try hosted.example(of: action)
            return Ask(
                action: action, body: String(decoding: example ?? [], as: UTF8.self), isExample: example != nil,
                fault: example.flatMap { actions[action].input?.schema.exampleFault($0) })
        } catch {
            return Ask(action: action, body: "", isExample: false, fault: ActionInput.exampleFault(error))
        }
    }
}
