import Foundation

/// A clock that can be moved by hand in a test.
///
/// Safe from any thread.
public protocol Timeline: Sendable {
    /// The time since some fixed moment; it never goes back.
    var now: Duration { get }

    /// The time of day, in whole seconds since 1970-01-01 00:00 UTC; it may be set back.
    var secondsSince1970: Int64 { get }

    /// Returns at a time, or at once where it has passed.
    ///
    /// - Throws: `CancellationError` where the task is cancelled first.
    func sleep(until time: Duration) async throws

    /// What the calling thread has used of its core, which tells a slow run from one that was interrupted; nil where that
    /// is not known: then time alone counts.
    var threadUse: ThreadUse? { get }
}

extension Timeline {
    /// Not known.
    public var threadUse: ThreadUse? { nil }
}

/// The machine's own time, which goes on while the machine sleeps.
public struct SystemTimeline: Timeline {
    private let start = ContinuousClock.now

    /// A timeline that begins now.
    public init() {}

    /// The time since the timeline was made.
    public var now: Duration { ContinuousClock.now - start }

    /// The machine's time of day.
    public var secondsSince1970: Int64 { Int64(time(nil)) }

    /// Sleeps by the continuous clock.
    public func sleep(until time: Duration) async throws { try await ContinuousClock().sleep(until: start + time) }

    /// By the kernel's books.
    public var threadUse: ThreadUse? { .ofThisThread }
}
