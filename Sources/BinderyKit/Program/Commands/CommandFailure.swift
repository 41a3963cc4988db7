/// Why a command could not be carried out, in one line.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    /// Takes the line.
    package init(_ description: String) { self.description = description }
}

/// A command could not be carried out; the log says why.
struct AlreadyLogged: Error {}
