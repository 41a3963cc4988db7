import ViewModels

/// Takes one view model through its actions, as a session would, and looks at it after each.
struct Walk {
    let declaration: Declaration
    let language: Language
    let trial: Trial
    private let isRepeatable: Bool
    private var plan: WalkPlan
    private(set) var steps: [String] = []

    init(
        _ declaration: Declaration, in language: Language, samples: [SampleInput], seed: UInt64, isRepeatable: Bool,
        as trial: Trial
    ) {
        self.trial = trial
        self.declaration = declaration
        self.language = language
        self.isRepeatable = isRepeatable
        plan = WalkPlan(actions: declaration.actions, samples: samples, seed: seed)
    }

    /// Walks from the beginning.
    mutating func run(steps count: Int) async {
        guard var life = make() else { return trial.note(.encoding, "A model of a new session cannot be made.") }
        var sight = inspect(life)
        for _ in 0..<count {
            guard !Task.isCancelled else { break }
            letChange(life, from: &sight)
            guard let ask = plan.next(on: life.hosted) else { break }
            guard ask.fault == nil else {
                complainOfExample(ask)
                continue
            }
            if await perform(ask, on: life, from: &sight) { continue }
            // What a host does after a throw: it goes on from what was stored.
            guard let model = sight.model, let next = make(from: model) else { break }
            life.changes.close()
            life = next
            // It may show something else, which is none of the next action's doing.
            sight = inspect(life)
        }
        letChange(life, from: &sight)
        life.changes.close()
    }

    /// Asks for an action, of a twin made from the same model too, and compares.
    ///
    /// - Returns: false where the action threw.
    private mutating func perform(
        _ ask: WalkPlan.Ask, on life: Life, from sight: inout Sight
    ) async -> Bool {
        let name = declaration.actions[ask.action].name
        let twin = sight.model.flatMap { make(from: $0) }
        defer { twin?.changes.close() }
        let step = ask.body.isEmpty ? "\(name)" : "\(name) \(ask.body)"
        trial.begin(.action(name, life.changes), after: steps + [step])
        let error = await Self.outcome(of: ask.action, ask.body, on: life)
        // What was cancelled says nothing of the view model.
        guard !isCancelled(in: name) else { return error == nil }
        steps.append(step)
        if let error { judge(error, of: ask) }
        let before = sight
        sight = inspect(life)
        if error != nil {
            if sight != before { complain(.refusal, "\(name) threw and had changed something before.") }
            sight = before
        } else {
            checkPosts(of: life, before: before, after: sight)
        }
        if isRepeatable, let twin {
            trial.begin(.action(name, twin.changes), after: steps)
            let twinError = await Self.outcome(of: ask.action, ask.body, on: twin)
            guard !isCancelled(in: name) else { return error == nil }
            if (error == nil) != (twinError == nil)
                || error == nil && look(at: twin) != sight
            {
                complain(
                    .rebuild,
                    "\(name) does something else once the view model is made anew: what it depends on is not all in the "
                        + "model; for what makes a UUID or rolls dice say isRepeatable: false.")
            }
        }
        return error == nil
    }

    /// Where there is none in a new session either, the declaration has that fault.
    private func complainOfExample(_ ask: WalkPlan.Ask) {
        let action = declaration.actions[ask.action]
        guard let fault = ask.fault, action.input?.example.isEmpty == false else { return }
        complain(.example, "The example of \(action.name) \(fault).")
    }

    /// Holds what an action threw to what it declares.
    private func judge(_ error: any Error, of ask: WalkPlan.Ask) {
        let action = declaration.actions[ask.action]
        guard let refusal = error as? ActionRefusal else {
            return complain(
                .foreign,
                "\(action.name) threw \(String(reflecting: type(of: error))), which its caller is told nothing of but 500: where "
                    + "the caller can do something about it, throw an ActionRefusal.")
        }
        let kind = refusal.kind
        // Where it is none in a new session either, the declaration has that fault.
        if ask.isExample, kind.isOfBody || kind == .invalid, action.input?.example.isEmpty != true {
            trial.note(.example, "\(action.name) does not take its own example: \(refusal.detail)")
        }
        if let fault = kind.fault {
            complain(.undeclared, "\(action.name) threw the refusal \"\(kind.type)\", which \(fault).")
        } else if !kind.isOfBody, !action.refusals.contains(where: { $0.kind == kind }) {
            // One more declaration would be of another kind under one type, which no server serves.
            let all = action.refusals + declaration.actions.flatMap(\.refusals)
            if let other = all.first(where: { $0.kind.type == kind.type })?.kind, other != kind {
                let (declared, thrown) =
                    other.status == kind.status
                    ? ("the title \"\(other.title)\"", "\"\(kind.title)\"")
                    : ("status \(other.status)", "\(kind.status)")
                return complain(
                    .undeclared,
                    "\(action.name): the refusal \"\(kind.type)\" is declared with \(declared), and thrown with \(thrown); make "
                        + "it one kind.")
            }
            complain(
                .undeclared,
                "\(action.name) threw the refusal \"\(kind.type)\" of status \(kind.status), which it does not declare: add "
                    + ".refusing(…) to it, so that its description says so.")
        }
    }

    private func isCancelled(in action: Name) -> Bool {
        guard Task.isCancelled else { return false }
        trial.note(
            .unfinished,
            "The check was cancelled, as by a time limit, in \(action), step \(steps.count + 1): ask for fewer steps.")
        return true
    }

    private static func outcome(of action: Int, _ body: String, on life: Life) async -> (any Error)? {
        do {
            try await life.hosted.perform(action, body: Array(body.utf8))
            return nil
        } catch {
            return error
        }
    }

    /// Lets the changes through that came from inside the view model.
    private mutating func letChange(_ life: Life, from sight: inout Sight) {
        for change in life.changes.take() {
            _ = life.posts()
            steps.append("a change from inside")
            trial.begin(.change, after: steps)
            change.body()
            let before = sight
            sight = inspect(life)
            checkPosts(of: life, before: before, after: sight)
            change.done.resume()
        }
    }
}
