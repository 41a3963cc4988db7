/// How a stored model and the model of this build differ, where it could be read all the same.
package struct ModelReading: Sendable {
    /// A member of an object of the model.
    package struct Place: Hashable, Sendable {
        /// The names that lead to the object.
        package let object: [String]
        /// The name of the member.
        package let member: String

        func within(_ name: String) -> Place { Place(object: [name] + object, member: member) }
    }

    /// What was stored and this build does not know; it is kept.
    package let unknown: [Place]
    /// What this build looked for and was not stored.
    package let missing: [Place]
}
