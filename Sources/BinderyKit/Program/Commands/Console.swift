import Foundation

/// Standard output and standard error, unbuffered.
package enum Console {
    /// Prints text and ends the line.
    package static func print(_ text: String) { write(text, to: .standardOutput) }

    /// Prints a complaint and ends the line.
    static func complain(_ text: String) { write(text, to: .standardError) }

    /// Shows how far something is on a terminal, in the place of what was shown before.
    static func progress(_ text: String) { write("\r\u{1B}[K" + text, to: .standardError, end: "") }

    private static func write(_ text: String, to file: FileHandle, end: String = "\n") {
        // A write fails where nobody reads: nothing is lost then.
        try? file.write(contentsOf: Data((text + end).utf8))
    }
}
