import Glibc

/// A pause of a thread that is a store's own.
package enum Pause {
    /// Blocks the calling thread for so long; not for threads of the cooperative pool.
    package static func wait(_ time: Duration) {
        let end = ContinuousClock.now + time
        while case let left = end - .now, left > .zero {
            // Interrupted, it sleeps again.
            usleep(UInt32(clamping: Int(left / .microseconds(1)) + 1))
        }
    }
}
