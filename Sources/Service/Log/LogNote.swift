import Foundation
import HTTP

/// A request that is over, and when.
struct LogNote: Sendable {
    let entry: ExchangeEntry
    /// Seconds since 1970-01-01 00:00 UTC.
    let time: Int

    init(_ entry: ExchangeEntry, at time: Int) {
        self.entry = entry
        self.time = time
    }

    /// Notes the time.
    init(_ entry: ExchangeEntry) {
        var clock = timespec()
        // Seconds are all that is wanted, so the clock that is read without asking the hardware will do.
        clock_gettime(CLOCK_REALTIME_COARSE, &clock)
        self.init(entry, at: clock.tv_sec)
    }
}
