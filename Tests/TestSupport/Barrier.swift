import Dispatch
import Locking

/// Blocks threads until a test lets them through.
package final class Barrier: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let isOpen = Lock(false)

    /// A closed barrier.
    package init() {}

    /// Blocks the thread until it is let through.
    package func pass() {
        arrived.signal()
        opened.wait()
        if isOpen.withLock(\.self) { opened.signal() }
    }

    /// Returns once so many threads have come since the last call.
    ///
    /// - Throws: ``NobodyCame`` after four minutes, which a correct program needs under no load.
    package func arrivals(_ count: Int = 1) async throws {
        try await onThread { [arrived] in
            for _ in 0..<count {
                guard arrived.wait(timeout: .now() + .seconds(240)) == .success else { throw NobodyCame() }
            }
        }
    }

    /// Fewer threads came to the barrier than a test waits for.
    package struct NobodyCame: Error {}

    /// Lets one thread through.
    package func letOneThrough() { opened.signal() }

    /// Lets every thread through, now and from now on.
    package func open() {
        isOpen.withLock { $0 = true }
        opened.signal()
    }
}
