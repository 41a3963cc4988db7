import Foundation

/// Standard output and standard error, unbuffered.
package enum Console {
    /// Prints text and ends the line.
    package static func print(_ text: String) { write(text, to: .standardOutput) }

    /// The same, and whether anybody reads it.
    package static func printed(_ text: String) -> Bool { write(text, to: .standardOutput) }

    /// Prints text as it is.
    static func write(_ text: String) { write(text, to: .standardOutput, end: "") }

    /// Prints a complaint and ends the line.
    package static func complain(_ text: String) { write(text, to: .standardError) }

    /// Shows how far something is on a terminal, in the place of what was shown before.
    static func progress(_ text: String) { write("\r\u{1B}[K" + text, to: .standardError, end: "") }

    /// - Returns: whether it is written; where nobody reads, nothing is lost.
    @discardableResult
    private static func write(_ text: String, to file: FileHandle, end: String = "\n") -> Bool {
        (try? file.write(contentsOf: Data((text + end).utf8))) != nil
    }
}
