import Locking

/// A bound was reached: what a log says so that its operator knows which option to look at, and who is refused.
public struct BoundNotice: Sendable, Hashable {
    /// The bound: the option that sets it, without its dashes, as `max-streams`, perhaps with what it was reached by; or what
    /// ran out, as `open-files`.
    public let bound: String
    /// Where the bound lies; nil where that is not known.
    public let limit: Int?
    /// The network of the client that was refused last; nil where it is not known, or where none was.
    public let client: IPAddress?
    /// How often somebody was refused since the bound's last notice, this time included.
    public let count: Int

    /// Describes refusals, as a test of an ``ExchangeLog`` does.
    public init(bound: String, limit: Int? = nil, client: IPAddress?, count: Int) {
        self.bound = bound
        self.limit = limit
        self.client = client
        self.count = count
    }
}

/// Tells a log of the bounds that are reached, of each at most once a second: whoever is over a bound often comes by
/// the thousand, and must not fill the disk as well.
///
/// Safe from any thread.
public final class BoundNotices: Sendable {
    /// The second after a notice, in which refusals are counted and not told.
    private struct Silence: Sendable {
        /// Tells this silence from a later one of the same bound.
        let number: Int
        /// Ends the silence when its time has come.
        let timer: Task<Void, Never>
        /// What was held back; nil where nobody was refused.
        var heldBack: BoundNotice?
    }

    private struct State: Sendable {
        var silences: [String: Silence] = [:]
        var lastNumber = 0
    }

    private static let interval = Duration.seconds(1)

    private let log: (any ExchangeLog)?
    private let limits: [String: Int]
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Lock(State())

    /// Tells this log.
    ///
    /// - Parameters:
    ///   - limits: where bounds lie that never move, by their names.
    ///   - now: the time since some fixed moment; it never goes back.
    ///   - sleep: returns at a time, or throws where the task is cancelled first.
    public init(
        log: (any ExchangeLog)?, limits: [String: Int] = [:], now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        self.log = log
        self.limits = limits
        self.now = now
        self.sleep = sleep
    }

    /// Notes that somebody was refused.
    ///
    /// The first refusal is told at once; those of the second that follows are counted, and told at its end.
    ///
    /// - Parameters:
    ///   - bound: its name: one of a few words, never what a client wrote.
    ///   - limit: where the bound lies, if it is not one of those that never move.
    ///   - client: the network of whoever was refused.
    public func reached(_ bound: String, limit: Int? = nil, by client: IPAddress?) {
        guard let log else { return }
        let limit = limit ?? limits[bound]
        let isFirst = state.withLock { state in
            guard var silence = state.silences[bound] else {
                beginSilence(of: bound, &state)
                return true
            }
            let count = (silence.heldBack?.count ?? 0) + 1
            silence.heldBack = BoundNotice(bound: bound, limit: limit, client: client, count: count)
            state.silences[bound] = silence
            return false
        }
        if isFirst { log.record(BoundNotice(bound: bound, limit: limit, client: client, count: 1)) }
    }

    /// Tells what is held back, as at the end of a server: nobody waits for the second to pass.
    public func tellAll() {
        let silences = state.withLock { state in
            defer { state.silences = [:] }
            return state.silences.sorted { $0.key < $1.key }.map(\.value)
        }
        for silence in silences {
            silence.timer.cancel()
            if let notice = silence.heldBack { log?.record(notice) }
        }
    }

    /// Under the lock.
    private func beginSilence(of bound: String, _ state: inout State) {
        state.lastNumber += 1
        let (number, end) = (state.lastNumber, now() + Self.interval)
        let timer = Task { [sleep, weak self] in
            // Cancelled where all was told already.
            guard (try? await sleep(end)) != nil else { return }
            self?.endSilence(number, of: bound)
        }
        state.silences[bound] = Silence(number: number, timer: timer)
    }

    /// Tells what was held back, which begins the next silence.
    private func endSilence(_ number: Int, of bound: String) {
        let heldBack: BoundNotice? = state.withLock { state in
            guard let silence = state.silences[bound], silence.number == number else { return nil }
            state.silences[bound] = nil
            if silence.heldBack != nil { beginSilence(of: bound, &state) }
            return silence.heldBack
        }
        if let heldBack { log?.record(heldBack) }
    }
}
