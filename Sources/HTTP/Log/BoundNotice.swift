import Locking

/// A bound was reached: what a log says so that its operator knows which option to look at, and who is refused.
public struct BoundNotice: Sendable, Hashable {
    /// The bound, by the option that sets it: `max-streams`.
    public let bound: String
    /// The network of the client that was refused last; nil where it is not known.
    public let client: IPAddress?
    /// How often somebody was refused since the bound's last notice, this time included.
    public let count: Int

    /// Describes refusals, as a test of an ``ExchangeLog`` does.
    public init(bound: String, client: IPAddress?, count: Int) {
        self.bound = bound
        self.client = client
        self.count = count
    }
}

/// Tells a log of the bounds that are reached, of each at most once a second: whoever is over a bound often comes by
/// the thousand, and must not fill the disk as well.
///
/// Safe from any thread.
public final class BoundNotices: Sendable {
    private struct Silence {
        var since: Duration
        var refusals = 0
    }

    private let log: (any ExchangeLog)?
    private let now: @Sendable () -> Duration
    private let silences = Lock<[String: Silence]>([:])

    /// Tells this log.
    ///
    /// - Parameter now: the time since some fixed moment; it never goes back.
    public init(log: (any ExchangeLog)?, now: @escaping @Sendable () -> Duration) {
        self.log = log
        self.now = now
    }

    /// Notes that somebody was refused.
    ///
    /// Refusals within a second of the bound's last notice are counted, and told by its next.
    ///
    /// - Parameters:
    ///   - bound: the option that sets it, without its dashes: one of a few words, never what a client wrote.
    ///   - client: the network of whoever was refused; asked for only where it is told.
    public func reached(_ bound: String, by client: @autoclosure () -> IPAddress?) {
        guard let log else { return }
        let now = now()
        let count: Int? = silences.withLock { silences in
            let silence = silences[bound]
            let refusals = (silence?.refusals ?? 0) + 1
            if let silence, now - silence.since < .seconds(1) {
                silences[bound]?.refusals = refusals
                return nil
            }
            silences[bound] = Silence(since: now)
            return refusals
        }
        if let count { log.record(BoundNotice(bound: bound, client: client(), count: count)) }
    }
}
