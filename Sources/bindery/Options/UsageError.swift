/// What is wrong with the command line, in one line.
struct UsageError: Error, Equatable {
    let message: String

    /// Takes the message; of a value it repeats, line breaks and other control characters become spaces.
    init(_ message: String) {
        self.message = String(
            message.map { character in
                let isControl = character.unicodeScalars.contains { $0.properties.generalCategory == .control }
                return isControl ? " " : character
            })
    }
}
