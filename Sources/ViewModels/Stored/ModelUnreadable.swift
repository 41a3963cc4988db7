/// A stored view model that this build cannot read; it never holds what is stored.
public struct ModelUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Error, Hashable {
        /// This build does not host the view model.
        case notHosted
        /// A later version of the view model stored it.
        case newer
        /// It is not a JSON object.
        case notJSON
        /// The view model's `migrate(_:from:)` threw.
        case migration
        /// A member of the outermost object is missing, or has a value that its type does not read; nil for the object.
        case member(String?)
        /// The outputs cannot be derived from it.
        case outputs
    }

    /// The view model's name.
    public let viewModel: String
    /// What is wrong.
    public let reason: Reason
    /// The version that stored it.
    public let storedVersion: Int
    /// The version of this build.
    public let version: Int

    /// One line for a log or a terminal.
    public var description: String {
        let words =
            switch reason {
            case .notHosted: "this build does not host it"
            case .newer: "a later version stored it"
            case .notJSON: "it is not a JSON object"
            case .migration: "migrate(_:from:) failed"
            case .member(let name): "\(name.map { "the member \($0)" } ?? "it") is missing or has another type"
            case .outputs: "its outputs have no JSON form"
            }
        return "\(viewModel): \(words) (stored by version \(storedVersion), read by version \(version))"
    }
}
