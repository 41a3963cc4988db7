/// Why a command could not be carried out, in one line.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A command could not be carried out; the log says why.
struct AlreadyLogged: Error {}
