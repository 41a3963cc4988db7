import ViewModels

/// One way in which a view model breaks the contract that a host relies on.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// What a host relies on.
    public enum Rule: String, Sendable, CaseIterable {
        /// A server starts with what is declared, and with the list: there is no `DeclarationFault`.
        case declaration
        /// The example of an action's body can be encoded in any state and has the shape that is declared, and the action takes it.
        case example
        /// An output encodes to its declared shape.
        case shape
        /// The model can be stored and read back, and equal models are stored as equal text.
        case encoding
        /// What an earlier build stored is read, and no member of it is lost to a new name.
        case storage
        /// A view model made anew from the stored model shows the same, and goes on in the same way.
        case rebuild
        /// An action that throws has changed nothing.
        case refusal
        /// An action that throws, throws an `ActionRefusal`: any other error is 500 to its caller.
        case foreign
        /// An action declares the refusals that it throws.
        case undeclared
        /// A change of an output that a variable holds is a set of that variable, which notes it and posts it.
        case posting
        /// What is asked of a view model returns: its making, an action, a change from inside, the encoding of what it shows.
        case returning
        /// All steps were taken: the check was not cancelled.
        case unfinished
    }

    /// What is not kept to.
    public let rule: Rule
    /// Who does not keep to it; nil where it is the list, or its name is none.
    public let viewModel: Name?
    /// What is wrong and, where it can be said, what to do about it.
    public let complaint: String
    /// The actions, with their bodies, that led there; empty where the declaration alone is wrong.
    public let steps: [String]

    /// The whole as one line, for the message of a failed test; of a long way, its end.
    public var description: String {
        let complaint = (viewModel.map { "\($0): " } ?? "") + complaint
        guard !steps.isEmpty else { return complaint }
        let end = steps.suffix(5).map { $0.count > 80 ? $0.prefix(80) + "…" : $0 }.joined(separator: ", ")
        let rest = steps.count > 5 ? "\(steps.count - 5) steps, " : ""
        return "\(complaint) After: \(rest)\(end)."
    }
}
