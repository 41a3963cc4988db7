import Foundation

/// The time of day: it means the same after a restart, which the time since boot does not.
///
/// Given to the lap timer, so that a test can move it by hand.
protocol WallClock: Sendable {
    /// Milliseconds since 1970.
    var now: Int { get }

    /// Returns at a time, or at once where it has passed.
    ///
    /// - Throws: `CancellationError` where the task is cancelled first.
    func sleep(until time: Int) async throws
}

/// The machine's own; where it is set, a running lap timer jumps with it.
struct SystemWallClock: WallClock {
    var now: Int { Int((Date().timeIntervalSince1970 * 1000).rounded()) }

    func sleep(until time: Int) async throws { try await Task.sleep(for: .milliseconds(time - now)) }
}
