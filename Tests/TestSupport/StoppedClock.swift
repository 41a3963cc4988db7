import Locking
import Sessions

/// A time of day that stands still until a test moves it.
package final class StoppedClock: Sendable {
    private let seconds: Lock<Int64>

    /// Begins at a moment, in seconds.
    package init(_ seconds: Int64 = 1000) { self.seconds = Lock(seconds) }

    /// The moment it is.
    package var now: TimeOfDay { TimeOfDay(secondsSince1970: seconds.withLock { $0 }) }

    /// The moment so many seconds from now.
    package func after(_ pause: Int64) -> TimeOfDay {
        TimeOfDay(secondsSince1970: seconds.withLock { $0 } + pause)
    }

    /// Moves the time on.
    package func advance(by pause: Int64) { seconds.withLock { $0 += pause } }
}
