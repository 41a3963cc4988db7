import Foundation

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
