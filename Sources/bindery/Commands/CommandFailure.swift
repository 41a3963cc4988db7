/// Why a command could not be carried out, in one line.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Why a command could not be carried out stands in the log.
struct Told: Error {}
