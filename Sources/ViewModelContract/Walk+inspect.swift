import ViewModels

// What is looked at after each step.

extension Walk {
    /// Looks at what can be seen, holds it to what is declared, and to what one made anew from the model shows.
    func inspect(_ life: Life, into findings: inout Findings) -> Sight {
        let sight = life.look(outputs: declaration.outputs.indices)
        for (output, value) in zip(declaration.outputs, sight.outputs) {
            do {
                guard let mismatch = try output.schema.mismatch(inText: value ?? []) else { continue }
                let member = mismatch.path.isEmpty ? "" : ", at \(mismatch.path.joined(separator: "/"))"
                complain(.shape, "The output \(output.name) has not the declared shape\(member).", &findings)
            } catch {
                complain(.shape, "The output \(output.name) cannot be encoded.", &findings)
            }
        }
        guard let model = sight.model else {
            complain(.encoding, "The model cannot be encoded.", &findings)
            return sight
        }
        if (try? life.hosted.encodedModel()) != model {
            complain(.encoding, "The same model is stored as another text each time.", &findings)
        }
        compare(sight, withOneMadeFrom: model, into: &findings)
        return sight
    }

    private func compare(_ sight: Sight, withOneMadeFrom model: [UInt8], into findings: inout Findings) {
        guard let anew = try? Life(of: declaration, in: language, from: model) else {
            return complain(.encoding, "The model cannot be read back from what is stored of it.", &findings)
        }
        defer { anew.changes.close() }
        let other = anew.look(outputs: declaration.outputs.indices)
        if other.model != model {
            complain(.encoding, "The model is another once it was stored and read back.", &findings)
        }
        for (output, (old, new)) in zip(declaration.outputs, zip(sight.outputs, other.outputs)) where old != new {
            complain(
                .rebuild, "The output \(output.name) is not the same once the view model is made anew from its model.",
                &findings)
        }
    }

    /// Holds what changed to what was posted.
    func checkPosts(of life: Life, before: Sight, after: Sight, into findings: inout Findings) {
        let changed = zip(before.outputs, after.outputs).map { $0 != $1 }
        for (output, (isChanged, isPosted)) in zip(declaration.outputs, zip(changed, life.posts()))
        where isChanged && isPosted == false {
            complain(
                .posting,
                "The output \(output.name) changed and was not posted: it has to be one and the same variable for the view "
                    + "model's whole life, and be set.", &findings)
        }
    }

    func complain(_ rule: Violation.Rule, _ complaint: String, _ findings: inout Findings) {
        findings.note(rule, declaration.name, complaint, after: steps)
    }
}
