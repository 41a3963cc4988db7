/// One way in which a view model breaks the contract that its host relies on.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The view model's name; nil for the list of view models.
    public let viewModel: String?
    /// The error and, if it is known, the remedy.
    public let complaint: String
    /// The actions before it, with their bodies; empty for an error in the declaration or in an older model.
    public let steps: [String]

    /// One line for the message of a failed test, with the last five steps.
    public var description: String {
        let complaint = (viewModel.map { "\($0): " } ?? "") + complaint
        guard !steps.isEmpty else { return complaint }
        let end = steps.suffix(5).map { $0.count > 80 ? $0.prefix(80) + "…" : $0 }.joined(separator: ", ")
        let rest = steps.count > 5 ? "\(steps.count - 5) steps, " : ""
        return "\(complaint) After: \(rest)\(end)."
    }
}

extension [Violation] {
    /// Adds a violation, unless there is an equal one: the first has the fewest steps.
    mutating func add(_ viewModel: String?, _ complaint: String, after steps: [String] = []) {
        if contains(where: { $0.viewModel == viewModel && $0.complaint == complaint }) { return }
        append(Violation(viewModel: viewModel, complaint: complaint, steps: steps))
    }
}
