import Dispatch
package import Events
import Foundation
import Locking

/// Looks on, while a store's threads work, whether they come to an end with what they are at.
///
/// A thread of its own: a disk that hangs holds whoever asks it for anything, and blocked threads may be all that Swift's pool
/// has. It ends with its owner.
package final class StoreWatchdog: Sendable {
    private final class Shared: Sendable {
        let watched = Lock<[StoreHealth]>([])
        let isOver = DispatchSemaphore(value: 0)
    }

    private let shared = Shared()
    /// Of those who write.
    private let writers = Lock<[StoreHealth]>([])
    private let path: String
    private let bounds: StoreHealth.Bounds
    private let log: (any EventLog)?

    /// Begins to look.
    ///
    /// - Parameter interval: how often; short beside the bounds.
    package init(
        _ path: String, _ bounds: StoreHealth.Bounds, every interval: DispatchTimeInterval = .milliseconds(500),
        log: (any EventLog)?
    ) {
        (self.path, self.bounds, self.log) = (path, bounds, log)
        let thread = Thread { [shared] in
            while shared.isOver.wait(timeout: .now() + interval) == .timedOut {
                for health in shared.watched.withLock({ $0 }) { health.look() }
            }
        }
        thread.name = "store-watchdog"
        thread.start()
    }

    deinit { shared.isOver.signal() }

    /// The health of one more thread, which is looked at from now on.
    ///
    /// - Parameter access: what it does: `write` or `read`.
    package func health(of access: String) -> StoreHealth {
        let health = StoreHealth(path, access, bounds, log: log)
        shared.watched.withLock { $0.append(health) }
        if access == "write" { writers.withLock { $0.append(health) } }
        return health
    }

    /// How long the oldest group of commits has been under way; zero where none is.
    package var oldestGroup: Duration {
        let now = ContinuousClock.now
        return writers.withLock { $0 }.compactMap { $0.busyTime(at: now) }.max() ?? .zero
    }

    /// Whether that is so long that the store counts as lost.
    package var hangs: Bool { oldestGroup >= bounds.hang }
}
