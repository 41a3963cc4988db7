import Sessions

extension Eventual {
    /// The value, where it is known at once.
    package var known: Value? { if case .now(let value) = self { value } else { nil } }
}
