/// What is wrong with the command line, in one line.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }
}
