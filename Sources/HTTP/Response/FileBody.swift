import Glibc
import Synchronization

/// An open file as the body of one answer: its bytes go from the descriptor to the socket, and not through this process's
/// memory (sendfile(2)).
///
/// Where the file has become shorter by then, the connection ends early. Safe from any thread.
package final class FileBody: Sendable {
    private let descriptor: Atomic<Int32>
    /// How many bytes are sent, from the file's beginning.
    package let length: UInt64

    /// Takes over an open descriptor of a regular file, and closes it.
    package init(descriptor: Int32, length: UInt64) {
        self.descriptor = Atomic(descriptor)
        self.length = length
    }

    deinit {
        if let descriptor = take() { close(descriptor) }
    }

    /// The descriptor, which is then the caller's to close; nil where it was taken before.
    func take() -> Int32? {
        let taken = descriptor.exchange(-1, ordering: .relaxed)
        return taken < 0 ? nil : taken
    }
}
