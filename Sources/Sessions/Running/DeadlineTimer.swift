import Locking

/// One timer for all the deadlines of a server.
///
/// libmicrohttpd's timeout per connection makes every turn of its loop look at every connection, so a poll's deadline
/// is kept here instead. One task sleeps until the earliest deadline while there is any.
final class DeadlineTimer: Sendable {
    private struct State {
        var deadlines: Deadlines<@Sendable () -> Void>
        var sleeper: Task<Void, Never>?
        var sleepsUntil: Duration?
    }

    private let timeline: any Timeline
    private let state: Lock<State>

    init(timeline: any Timeline, tick: Duration = .milliseconds(50)) {
        self.timeline = timeline
        state = Lock(State(deadlines: Deadlines(tick: tick)))
    }

    deinit { state.withLock { $0.sleeper?.cancel() } }

    func sleep(for duration: Duration) async throws { try await timeline.sleep(until: timeline.now + duration) }

    /// Calls back, once, when the time has come; from any thread.
    ///
    /// - Returns: what ``cancel(_:)`` takes.
    func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> DeadlineKey {
        let (key, superseded) = state.withLock { state in
            (state.deadlines.add(act, at: time), sleepIfSooner(&state))
        }
        superseded?.cancel()
        return key
    }

    /// Forgets a deadline; one that is past is no error.
    func cancel(_ keys: some Sequence<DeadlineKey>) {
        state.withLock { state in
            for key in keys { state.deadlines.remove(key) }
        }
    }

    /// - Returns: the task that slept too long for the earliest deadline, to be cancelled after unlocking.
    private func sleepIfSooner(_ state: inout State) -> Task<Void, Never>? {
        guard let next = state.deadlines.next, state.sleepsUntil.map({ next < $0 }) ?? true else { return nil }
        let superseded = state.sleeper
        state.sleepsUntil = next
        state.sleeper = Task { [timeline, weak self] in
            guard (try? await timeline.sleep(until: next)) != nil else { return }
            self?.wake(at: next)
        }
        return superseded
    }

    private func wake(at time: Duration) {
        let (due, superseded) = state.withLock { state in
            guard state.sleepsUntil == time else { return ([@Sendable () -> Void](), Task<Void, Never>?.none) }
            state.sleepsUntil = nil
            state.sleeper = nil
            return (state.deadlines.due(at: max(time, timeline.now)), sleepIfSooner(&state))
        }
        superseded?.cancel()
        for act in due { act() }
    }
}

/// Which deadlines are set, and when the next one falls: the pure half of ``DeadlineTimer``.
///
/// Time is cut into ticks, and what falls into one tick is due together: ten thousand polls that end in the same
/// second are a handful of wake-ups. A deadline is at most one tick late and never early.
struct Deadlines<Entry: Sendable> {
    let tick: Duration
    private var ticks: [Int64: [UInt64: Entry]] = [:]
    private var last: UInt64 = 0
    private var earliest: Int64?

    init(tick: Duration) { self.tick = tick }

    /// When to look again: no later than the earliest deadline, and nil only where there is none.
    var next: Duration? { earliest.map { tick * Int($0) } }

    mutating func add(_ entry: Entry, at time: Duration) -> DeadlineKey {
        // Whole numbers: a quotient of floating point may come out below a time that lies just behind a tick.
        let index = Int64((time.attoseconds + tick.attoseconds - 1) / tick.attoseconds)
        last += 1
        ticks[index, default: [:]][last] = entry
        earliest = min(earliest ?? index, index)
        return DeadlineKey(tick: index, number: last)
    }

    mutating func remove(_ key: DeadlineKey) {
        ticks[key.tick]?.removeValue(forKey: key.number)
        if ticks[key.tick]?.isEmpty == true { ticks.removeValue(forKey: key.tick) }
    }

    /// Takes out what is due.
    mutating func due(at time: Duration) -> [Entry] {
        let passed = ticks.keys.filter { tick * Int($0) <= time }.sorted()
        defer { earliest = ticks.keys.min() }
        return passed.flatMap { index in
            (ticks.removeValue(forKey: index) ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// What a deadline is forgotten by.
struct DeadlineKey: Sendable {
    let tick: Int64
    let number: UInt64
}
