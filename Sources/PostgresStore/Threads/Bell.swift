import CPostgres
import Glibc

/// Wakes a thread that waits for a socket, by an eventfd(2) that poll(2) watches as well.
final class Bell: Sendable {
    private let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "there is no descriptor for hints: \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    /// Wakes the thread, now or when it waits next.
    func ring() { _ = eventfd_write(descriptor, 1) }

    /// Waits for the bell, for a readable socket, or for a time, and resets the bell.
    ///
    /// - Parameter socket: -1 for none.
    func wait(for time: Duration, orFor socket: Int32 = -1) {
        // poll(2) ignores negative descriptors.
        var events = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32(clamping: Int((time / .milliseconds(1)).rounded(.up)))
        guard poll(&events, 2, milliseconds) > 0, events[1].revents != 0 else { return }
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }
}
