import ViewModels

/// Takes one view model through its actions, as a session would, and looks at it after each.
struct Walk {
    let declaration: Declaration
    let language: Language
    private let isRepeatable: Bool
    private var route: Route
    private(set) var steps: [String] = []

    init(
        _ declaration: Declaration, in language: Language, samples: [SampleInput], seed: UInt64, isRepeatable: Bool
    ) {
        self.declaration = declaration
        self.language = language
        self.isRepeatable = isRepeatable
        route = Route(actions: declaration.actions, samples: samples, seed: seed)
    }

    /// Walks from the beginning.
    mutating func run(steps count: Int, into findings: inout Findings) async {
        guard var life = try? Life(of: declaration, in: language) else {
            return findings.note(.encoding, declaration.name, "A model of a new session cannot be made.")
        }
        var sight = inspect(life, into: &findings)
        for _ in 0..<count {
            guard !Task.isCancelled else { break }
            letChange(life, from: &sight, into: &findings)
            guard let ask = route.next() else { break }
            guard await perform(ask, on: life, from: &sight, into: &findings) else {
                // What a host does after a throw: it goes on from what was stored.
                guard let model = sight.model, let next = try? Life(of: declaration, in: language, from: model)
                else { break }
                life.changes.close()
                life = next
                continue
            }
        }
        letChange(life, from: &sight, into: &findings)
        life.changes.close()
    }

    /// Asks for an action, of a twin made from the same model too, and compares.
    ///
    /// - Returns: false where the action threw.
    private mutating func perform(
        _ ask: Route.Ask, on life: Life, from sight: inout Sight, into findings: inout Findings
    ) async -> Bool {
        let name = declaration.actions[ask.action].name
        let twin = sight.model.flatMap { try? Life(of: declaration, in: language, from: $0) }
        defer { twin?.changes.close() }
        let error = await Self.outcome(of: ask.action, ask.body, on: life)
        // What was cancelled says nothing of the view model.
        guard !isCancelled(in: name, &findings) else { return error == nil }
        steps.append(ask.body.isEmpty ? "\(name)" : "\(name) \(ask.body)")
        if ask.isExample, let refusal = error as? ActionRefusal, refusal.code != .disabled {
            findings.note(.example, declaration.name, "\(name) does not take its own example: \(refusal.detail)")
        }
        let before = sight
        sight = inspect(life, into: &findings)
        if error != nil {
            if sight != before { complain(.refusal, "\(name) threw and had changed something before.", &findings) }
            sight = before
        } else {
            checkPosts(of: life, before: before, after: sight, into: &findings)
        }
        if isRepeatable, let twin {
            let twinError = await Self.outcome(of: ask.action, ask.body, on: twin)
            guard !isCancelled(in: name, &findings) else { return error == nil }
            if (error == nil) != (twinError == nil)
                || error == nil && twin.look(outputs: declaration.outputs.indices) != sight
            {
                complain(
                    .rebuild,
                    "\(name) does something else once the view model is made anew: what it depends on is not all in the "
                        + "model.", &findings)
            }
        }
        return error == nil
    }

    private func isCancelled(in action: Name, _ findings: inout Findings) -> Bool {
        guard Task.isCancelled else { return false }
        findings.note(
            .unfinished, declaration.name,
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
    private mutating func letChange(_ life: Life, from sight: inout Sight, into findings: inout Findings) {
        for change in life.changes.take() {
            _ = life.posts()
            change.body()
            steps.append("a change from inside")
            let before = sight
            sight = inspect(life, into: &findings)
            checkPosts(of: life, before: before, after: sight, into: &findings)
            change.done.resume()
        }
    }
}
