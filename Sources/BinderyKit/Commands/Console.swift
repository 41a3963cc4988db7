import Foundation

/// Standard output and standard error, unbuffered.
package enum Console {
    /// Prints a result and ends the line.
    ///
    /// - Returns: false if the reader has closed the pipe.
    /// - Throws: ``CommandFailure`` if the write fails, for example on a full disk.
    @discardableResult
    package static func print(_ text: String, end: String = "\n") throws -> Bool {
        switch write(text + end, to: STDOUT_FILENO) {
        case 0: return true
        case EPIPE: return false
        case let error: throw CommandFailure("standard output cannot be written: \(String(cString: strerror(error)))")
        }
    }

    /// Prints an error or a status, and ends the line.
    package static func complain(_ text: String) { _ = write(text + "\n", to: STDERR_FILENO) }

    /// Writes all of it; the result is 0 or an errno.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
