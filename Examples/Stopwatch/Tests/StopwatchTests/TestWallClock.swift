import BinderyTesting

@testable import Stopwatch

/// The time that a test moves, as the lap timer asks for it.
struct TestWallClock: WallClock {
    let timeline: ManualTimeline

    var now: Int { Int((timeline.now / .milliseconds(1)).rounded()) }

    func sleep(until time: Int) async throws { try await timeline.sleep(until: .milliseconds(time)) }
}

extension ManualTimeline {
    /// Moves the time on by a tenth of a second, once the lap timer waits for that.
    func tick() async throws {
        try await sleeper(until: now + .milliseconds(100))
        advance(by: .milliseconds(100))
    }
}
