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

extension Duration {
    /// The whole milliseconds in it.
    package var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
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

/// What a thread has used of its core since it began.
public struct ThreadUse: Sendable {
    /// How far behind ``core`` may be: the kernel keeps its books by ticks, of 10 milliseconds at most.
    static let tick = Duration.milliseconds(10)

    /// How long it ran.
    public let core: Duration
    /// How often it gave up its core to wait for something.
    public let waits: Int
    /// How often its core was given to others though it had more to do.
    public let interruptions: Int

    /// A use as a timeline tells it.
    public init(core: Duration, waits: Int, interruptions: Int) {
        self.core = core
        self.waits = waits
        self.interruptions = interruptions
    }

    /// `RUSAGE_THREAD` of sys/resource.h, which shows it to GNU sources alone.
    private static let ofCaller: __rusage_who_t = 1

    /// The calling thread's, by the kernel's books (getrusage(2)).
    static var ofThisThread: ThreadUse? {
        var usage = rusage()
        guard getrusage(ofCaller, &usage) == 0 else { return nil }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return ThreadUse(
            core: .seconds(seconds) + .microseconds(microseconds), waits: usage.ru_nvcsw,
            interruptions: usage.ru_nivcsw)
    }
}

/// A time of day in whole seconds, such as the end of a session that nobody uses.
///
/// It is compared by other processes than the one that wrote it, after a restart or on another machine.
public struct TimeOfDay: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC.
    public let secondsSince1970: Int64

    /// Takes a moment from a store.
    public init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    /// The moment after a time that is counted in whole seconds.
    func advanced(by time: Duration) -> TimeOfDay {
        TimeOfDay(secondsSince1970: secondsSince1970 + time.components.seconds)
    }

    /// The later of two moments is the greater.
    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}
