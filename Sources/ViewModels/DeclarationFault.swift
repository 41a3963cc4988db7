/// What is wrong with the declaration of a view model, or with the list of them, so that no server begins to serve it.
public struct DeclarationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The view model's name; nil where it is the list that is wrong, or the name.
    public let viewModel: Name?
    /// What is wrong and what to write instead.
    public let complaint: String

    /// Finds a fault.
    public init(_ viewModel: Name?, _ complaint: String) {
        self.viewModel = viewModel
        self.complaint = complaint
    }

    /// One line for a terminal.
    public var description: String { (viewModel.map { "\($0): " } ?? "") + complaint }
}
