import ViewModels

/// What was found so far; of the same complaint the first alone, as it has the shortest way there.
struct Findings {
    private(set) var violations: [Violation] = []
    private var known: Set<String> = []

    mutating func note(_ rule: Violation.Rule, _ viewModel: Name?, _ complaint: String, after steps: [String] = []) {
        guard known.insert("\(rule) \(viewModel?.rawValue ?? "") \(complaint)").inserted else { return }
        violations.append(Violation(rule: rule, viewModel: viewModel, complaint: complaint, steps: steps))
    }

    /// Takes in what was found elsewhere.
    mutating func add(_ others: [Violation]) {
        for other in others { note(other.rule, other.viewModel, other.complaint, after: other.steps) }
    }
}
