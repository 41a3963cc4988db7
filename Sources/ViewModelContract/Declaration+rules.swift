import ViewModels

extension Catalogue {
    /// Says what a server would refuse to start for, by the server's own rules.
    func check(_ findings: inout Findings) {
        for fault in faults { findings.note(.declaration, fault.viewModel, "No server serves it: \(fault.complaint).") }
    }
}
