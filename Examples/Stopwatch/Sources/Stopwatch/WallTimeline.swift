import BinderyKit
import Foundation

/// The time of day, counted from 1970: it means the same after a restart, which the time since boot does not.
///
/// Where the machine's clock is set, a running lap timer jumps with it.
struct WallTimeline: Timeline {
    var now: Duration { .milliseconds(Int64((Date().timeIntervalSince1970 * 1000).rounded())) }

    func sleep(until time: Duration) async throws { try await Task.sleep(for: time - now) }
}
