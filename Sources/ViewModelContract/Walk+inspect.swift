import ViewModels

// What is looked at after each step.

extension Walk {
    /// Makes an instance, from a stored model if there is one; nil where it cannot be read.
    func make(from model: [UInt8]? = nil) -> Life? {
        trial.begin(.making, after: steps)
        return try? Life(of: declaration, in: language, from: model)
    }

    /// What can be seen of an instance now.
    func look(at life: Life) -> Sight {
        trial.begin(.showing, after: steps)
        return life.look(outputs: declaration.outputs.indices)
    }

    /// Looks at what can be seen, holds it to what is declared, and to what one made anew from the model shows.
    func inspect(_ life: Life) -> Sight {
        let sight = look(at: life)
        for (output, value) in zip(declaration.outputs, sight.outputs) {
            do {
                guard let mismatch = try output.schema.mismatch(inText: value ?? []) else { continue }
                let member = mismatch.path.isEmpty ? "" : ", at \(mismatch.path.joined(separator: "/"))"
                complain(.shape, "The output \(output.name) has not the declared shape\(member).")
            } catch {
                complain(.shape, "The output \(output.name) cannot be encoded.")
            }
        }
        guard let model = sight.model else {
            complainOfModel("The model cannot be encoded.")
            return sight
        }
        if (try? life.hosted.encodedModel()) != model {
            complain(.encoding, "The same model is stored as another text each time.")
        }
        compare(sight, withOneMadeFrom: model)
        return sight
    }

    private func compare(_ sight: Sight, withOneMadeFrom model: [UInt8]) {
        guard let anew = make(from: model) else {
            return complainOfModel("The model cannot be read back from what is stored of it.")
        }
        defer { anew.changes.close() }
        let other = look(at: anew)
        if other.model != model {
            complain(.encoding, "The model is another once it was stored and read back.")
        }
        for (output, (old, new)) in zip(declaration.outputs, zip(sight.outputs, other.outputs)) where old != new {
            complain(
                .rebuild, "The output \(output.name) is not the same once the view model is made anew from its model.")
        }
    }

    /// Where it holds of a new session's model, the declaration has that fault.
    private func complainOfModel(_ complaint: String) {
        if declaration.modelFault == nil { complain(.encoding, complaint) }
    }

    /// Holds what changed to what was posted.
    func checkPosts(of life: Life, before: Sight, after: Sight) {
        let changed = zip(before.outputs, after.outputs).map { $0 != $1 }
        for (output, (isChanged, isPosted)) in zip(declaration.outputs, zip(changed, life.posts()))
        where isChanged && isPosted == false {
            complain(
                .posting,
                "The output \(output.name) changed and was not posted: it has to be one and the same variable for the view "
                    + "model's whole life, and be set.")
        }
    }

    func complain(_ rule: Violation.Rule, _ complaint: String) { trial.note(rule, complaint, after: steps) }
}
