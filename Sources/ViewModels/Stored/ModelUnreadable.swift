/// A stored model that this build cannot read: whose it is and where it fails, never what is stored.
public struct ModelUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: String, Sendable, CaseIterable {
        /// A member is missing and has no default: what its type's `init()` makes does not have it either.
        case missing = "is missing and has no default"
        /// A member is missing in an element of a list, a dictionary's value or an optional whose type is no
        /// ``StoredValue``: a default that it declares is not known.
        case missingInElement = "is missing, and its type is no StoredValue whose default would stand in"
        /// A later version of the model has stored no such member: what is in its place there is not known, and a default
        /// would deny it.
        case leftOut = "is not in what a later version stored"
        /// A member is of another shape or has a value that its type refuses.
        case mismatch = "has a value that this build does not read"
        /// A type's own `init(from:)` threw.
        case refused = "was refused by its type's init(from:)"
        /// The model's `migrate(_:from:)` threw.
        case migration = "could not be migrated"
        /// What is stored is no JSON.
        case notJSON = "is not JSON"
    }

    /// The view model's name.
    public let viewModel: Name
    /// The names of the members that lead there, as `laps/*/note`: an asterisk for any place in a list and any key of a
    /// dictionary, which may be a user's; empty for the model as a whole.
    public let member: String
    /// What is wrong.
    public let reason: Reason
    /// The version of what is stored.
    public let storedVersion: Int
    /// The version that this build writes.
    public let version: Int

    /// One line for a log or a terminal.
    public var description: String { "\(viewModel): \(complaint)" }

    /// The same in a clause, without the view model's name.
    var complaint: String {
        let place = member.isEmpty ? "the model" : "the member \(member)"
        let versions = storedVersion == version ? "" : " (stored by version \(storedVersion), read by \(version))"
        return "\(place) \(reason.rawValue)\(versions)"
    }
}

extension ModelUnreadable {
    /// Finds the place and the reason in what was thrown while a model was read.
    init(_ error: any Error, reading viewModel: Name, storedVersion: Int, version: Int, isMigration: Bool) {
        let (reason, path): (Reason, [String]) =
            switch error {
            case is JSONFault: (.notJSON, [])
            case let error as DecodingError: Self.place(of: error)
            default: (.refused, [])
            }
        self.init(
            viewModel: viewModel, member: path.joined(separator: "/"),
            reason: isMigration ? .migration : reason, storedVersion: storedVersion, version: version)
    }

    private static func place(of error: DecodingError) -> (Reason, [String]) {
        let path = error.place?.keys.map { $0.intValue == nil ? $0.stringValue : JSONNodeKey.any.stringValue } ?? []
        if case .keyNotFound = error { return ((error.place?.error as? MissingMember)?.reason ?? .missing, path) }
        return (.mismatch, path)
    }
}

/// Under a `DecodingError.keyNotFound`: why nothing stood in for the member.
struct MissingMember: Error {
    let reason: ModelUnreadable.Reason
}
