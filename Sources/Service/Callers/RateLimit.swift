import HTTP

/// Limits how many sessions each client network may begin in a minute of the clock.
struct RateLimit: Sendable {
    private let limit: Int
    private var minute = 0
    private var counts: [IPAddress: Int] = [:]

    init(perMinute limit: Int) { self.limit = limit }

    /// Counts a session; returns the seconds until the next minute if the network has begun too many, else nil.
    mutating func take(for network: IPAddress, at now: Duration) -> Int? {
        let seconds = Int(now.components.seconds)
        if seconds / 60 != minute { (minute, counts) = (seconds / 60, [:]) }
        counts[network, default: 0] += 1
        return counts[network, default: 0] > limit ? 60 - seconds % 60 : nil
    }
}
