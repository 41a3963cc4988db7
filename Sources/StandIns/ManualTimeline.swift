import Locking
import Sessions

/// A timeline that stands still until a test moves it.
public final class ManualTimeline: Timeline {
    private struct Sleeper {
        let time: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let isSatisfied: @Sendable ([Duration]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Duration
        var nextSleeper = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Watcher] = []

        var times: [Duration] { sleepers.values.map(\.time).sorted() }

        /// Takes out whoever has seen what he was waiting for.
        mutating func satisfied() -> [Watcher] {
            let times = times
            defer { watchers.removeAll { $0.isSatisfied(times) } }
            return watchers.filter { $0.isSatisfied(times) }
        }
    }

    private let state: Lock<State>

    /// Begins at a time, by default zero.
    public init(now: Duration = .zero) { state = Lock(State(now: now)) }

    /// A day in 2096, and what has passed: a store that goes by the machine's clock ends nothing before.
    public var secondsSince1970: Int64 { 4_000_000_000 + now.components.seconds }

    /// The time that it is.
    public var now: Duration { state.withLock { $0.now } }

    /// The times until which tasks sleep now, earliest first.
    public var sleepers: [Duration] { state.withLock { $0.times } }

    /// Returns when the test has moved the time to it.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until time: Duration) async throws {
        let id = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, watchers): (Result<Void, any Error>?, [Watcher]) = state.withLock { state in
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    if time <= state.now { return (.success(()), []) }
                    state.sleepers[id] = Sleeper(time: time, continuation: continuation)
                    return (nil, state.satisfied())
                }
                if let outcome { continuation.resume(with: outcome) }
                for watcher in watchers { watcher.continuation.resume() }
            }
        } onCancel: {
            let (sleeper, watchers) = state.withLock { ($0.sleepers.removeValue(forKey: id), $0.satisfied()) }
            sleeper?.continuation.resume(throwing: CancellationError())
            for watcher in watchers { watcher.continuation.resume() }
        }
    }

    /// Moves the time on and wakes whoever slept until then, in the order of their times.
    public func advance(by duration: Duration) {
        let (due, watchers) = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $1.time <= state.now }
            for id in due.keys { state.sleepers.removeValue(forKey: id) }
            return (due.sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }.map(\.value), state.satisfied())
        }
        for sleeper in due { sleeper.continuation.resume() }
        for watcher in watchers { watcher.continuation.resume() }
    }

    /// Returns once a task sleeps until exactly this time.
    public func sleeper(until time: Duration) async { await when { $0.contains(time) } }

    /// Returns once as many tasks sleep, no more and no fewer.
    public func sleepers(count: Int) async { await when { $0.count == count } }

    private func when(_ isSatisfied: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isSatisfiedNow = state.withLock { state in
                if isSatisfied(state.times) { return true }
                state.watchers.append(Watcher(isSatisfied: isSatisfied, continuation: continuation))
                return false
            }
            if isSatisfiedNow { continuation.resume() }
        }
    }
}

extension ManualTimeline {
    /// The same time as a `Clock`, for what is given one.
    public var clock: ManualClock { ManualClock(timeline: self) }
}

/// The time of a ``ManualTimeline``, as a `Clock`.
public struct ManualClock: Clock {
    /// A time of the timeline.
    public struct Instant: InstantProtocol {
        let time: Duration

        /// A time after this one.
        public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        /// How long it is from here to another time.
        public func duration(to other: Instant) -> Duration { other.time - time }
        /// The earlier is the smaller.
        public static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let timeline: ManualTimeline

    /// The time it is.
    public var now: Instant { Instant(time: timeline.now) }
    /// Exact.
    public var minimumResolution: Duration { .zero }

    /// Returns when the test has moved the time so far.
    ///
    /// - Throws: `CancellationError` where the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await timeline.sleep(until: deadline.time)
    }
}
