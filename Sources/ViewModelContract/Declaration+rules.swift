import ViewModels

// What can be said of declarations without making a view model.

extension Catalogue {
    /// Says what a server would refuse to start for, by the server's own rules.
    func check(_ findings: inout Findings) {
        for fault in faults { findings.note(.declaration, fault.viewModel, "No server serves it: \(fault.complaint).") }
        for viewModel in viewModels { viewModel.checkExamples(&findings) }
    }
}

extension Declaration {
    fileprivate func checkExamples(_ findings: inout Findings) {
        for action in actions {
            // Where there is no example, or no shape, a fault says so.
            guard let input = action.input, !input.example.isEmpty,
                let mismatch = try? input.schema.mismatch(inText: input.example)
            else { continue }
            let member = mismatch.path.isEmpty ? "" : ", at \(mismatch.path.joined(separator: "/"))"
            findings.note(.example, name, "The example of \(action.name) has not the declared shape\(member).")
        }
    }
}
