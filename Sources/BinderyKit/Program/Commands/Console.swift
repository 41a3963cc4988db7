import Foundation

/// Standard output and standard error, unbuffered.
package enum Console {
    /// Prints text and ends the line.
    package static func print(_ text: String) { write(text, to: .standardOutput) }

    /// Prints a complaint and ends the line.
    static func complain(_ text: String) { write(text, to: .standardError) }

    private static func write(_ text: String, to file: FileHandle) {
        // A write fails where nobody reads: nothing is lost then.
        try? file.write(contentsOf: Data((text + "\n").utf8))
    }
}
