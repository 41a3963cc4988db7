import Dispatch
import Locking

/// Blocks threads until a test lets them through.
package final class Barrier: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let isOpen = Lock(false)

    /// A closed barrier.
    package init() {}

    /// Blocks the thread until the test lets it through.
    package func pass() {
        arrived.signal()
        opened.wait()
        if isOpen.withLock(\.self) { opened.signal() }
    }

    /// Waits until `count` more threads have arrived.
    ///
    /// - Throws: ``NobodyCame`` if a thread needs over four minutes; a correct program never does, even under load.
    package func arrivals(_ count: Int = 1) async throws {
        try await onThread { [arrived] in
            for _ in 0..<count {
                guard arrived.wait(timeout: .now() + .seconds(240)) == .success else { throw NobodyCame() }
            }
        }
    }

    /// The test waited for more threads than arrived.
    package struct NobodyCame: Error {}

    /// Lets one thread through.
    package func letOneThrough() { opened.signal() }

    /// Lets all present and future threads through.
    package func open() {
        isOpen.withLock { $0 = true }
        opened.signal()
    }
}
