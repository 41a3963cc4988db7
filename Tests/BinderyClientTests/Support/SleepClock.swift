import BinderyTesting

/// A test's clock as a client sleeps on it.
struct SleepClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let time = TestClock()
    var now: Instant { Instant(offset: time.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard deadline > now else { return }
        let (waiting, end) = AsyncStream.makeStream(of: Void.self)
        let key = time.schedule(at: deadline.offset) { end.finish() }
        defer { time.cancel([key]) }
        for await _ in waiting {}
        try Task.checkCancellation()
    }

    /// Waits until the client sleeps for a time, and moves the time to its end.
    func pass(_ duration: Duration) async throws {
        try await time.deadline(in: duration...duration)
        time.advance(by: duration)
    }

    /// The same for one of the client's pauses, which are shortened by up to a half at random.
    func pass(pause: Duration) async throws {
        try await time.deadline(in: pause / 2...pause)
        time.advance(by: pause)
    }
}
