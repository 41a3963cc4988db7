import ViewModels

// What can be said of a declaration without making a view model.

extension Sequence<Declaration> {
    func checkNames(_ findings: inout Findings) {
        var known: Set<Name> = []
        for name in map(\.name) {
            if !known.insert(name).inserted {
                findings.note(.name, name, "Two view models of the list have this name.")
            }
            if Declaration.takenNames.contains(name.rawValue) {
                findings.note(.name, name, "The service itself answers at /\(name); choose another name.")
            }
        }
    }
}

extension Declaration {
    func checkFacets(_ findings: inout Findings) {
        for facet in facets {
            if facet.outputs.isEmpty { findings.note(.facet, name, "The facet \(facet.name) shows no output.") }
            for output in Set(facet.outputs) where facet.outputs.count(where: { $0 == output }) > 1 {
                findings.note(.facet, name, "The facet \(facet.name) shows \(outputs[output].name) twice.")
            }
        }
    }

    func checkShapes(_ findings: inout Findings) {
        if let fault { findings.note(.shape, name, "No server serves it: \(fault.complaint).") }
    }

    func checkExamples(_ findings: inout Findings) {
        for action in actions {
            guard let input = action.input else { continue }
            do {
                guard let mismatch = try input.schema.mismatch(inText: input.example) else { continue }
                let member = mismatch.path.isEmpty ? "" : ", at \(mismatch.path.joined(separator: "/"))"
                findings.note(.example, name, "The example of \(action.name) has not the declared shape\(member).")
            } catch {
                findings.note(.example, name, "The example of \(action.name) cannot be encoded.")
            }
        }
    }
}
