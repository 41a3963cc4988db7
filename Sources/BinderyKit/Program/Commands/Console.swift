import Foundation

/// Standard output and standard error, unbuffered.
package enum Console {
    /// Prints what somebody waits for, and ends the line.
    ///
    /// - Parameter end: what ends it.
    /// - Returns: whether anybody reads it.
    /// - Throws: ``CommandFailure`` where it cannot be written, as on a disk that is full.
    @discardableResult
    package static func print(_ text: String, end: String = "\n") throws -> Bool {
        switch write(text, to: STDOUT_FILENO, end: end) {
        case 0: return true
        case EPIPE: return false
        case let error: throw CommandFailure("standard output cannot be written: \(String(cString: strerror(error)))")
        }
    }

    /// Prints a complaint and ends the line.
    package static func complain(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Shows how far something is on a terminal, in the place of what was shown before.
    static func progress(_ text: String) { write("\r\u{1B}[K" + text, to: STDERR_FILENO, end: "") }

    /// - Returns: 0, or why it is not written whole (errno).
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32, end: String = "\n") -> Int32 {
        var bytes = Array((text + end).utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                // Whoever shares it may have made it non-blocking.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
