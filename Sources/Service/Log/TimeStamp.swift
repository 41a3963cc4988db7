import Foundation

/// The time of day as RFC 3339 writes it, in UTC, to the second; the text is made once a second.
struct TimeStamp: Sendable {
    private var second = -1
    private var text = ""

    mutating func now() -> String {
        var clock = timespec()
        // Seconds are all that is wanted, so the clock that is read without asking the hardware will do.
        clock_gettime(CLOCK_REALTIME_COARSE, &clock)
        if clock.tv_sec != second {
            second = clock.tv_sec
            text = Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format()
        }
        return text
    }
}
