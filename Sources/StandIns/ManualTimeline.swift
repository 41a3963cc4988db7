import Locking
import Sessions

/// A timeline that stands still until a test moves it.
public final class ManualTimeline: Timeline {
    private struct Sleeper {
        let time: Duration
        /// Whether it sleeps on the `clock`, which the server itself does not.
        let isOnClock: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let isSatisfied: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now: Duration
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Int: Watcher] = [:]

        var times: [Duration] { sleepers.values.map(\.time).sorted() }

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }

        /// Takes out whoever has seen what he was waiting for.
        mutating func satisfied() -> [Watcher] {
            let satisfied = watchers.filter { $0.value.isSatisfied(self) }
            for id in satisfied.keys { watchers.removeValue(forKey: id) }
            return Array(satisfied.values)
        }
    }

    private let state: Lock<State>
    /// How long it is waited for tasks that are to sleep.
    private let patience: Duration

    /// Begins at a time, by default zero.
    public convenience init(now: Duration = .zero) { self.init(now: now, patience: .seconds(60)) }

    package init(now: Duration = .zero, patience: Duration) {
        state = Lock(State(now: now))
        self.patience = patience
    }

    /// A day in 2096, and what has passed: a store that goes by the machine's clock ends nothing before.
    public var secondsSince1970: Int64 { 4_000_000_000 + now.components.seconds }

    /// The time that it is.
    public var now: Duration { state.withLock { $0.now } }

    /// The times until which tasks sleep now, earliest first.
    public var sleepers: [Duration] { state.withLock { $0.times } }

    /// Returns when the test has moved the time to it.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until time: Duration) async throws { try await sleep(until: time, isOnClock: false) }

    func sleep(until time: Duration, isOnClock: Bool) async throws {
        let id = state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, watchers): (Result<Void, any Error>?, [Watcher]) = state.withLock { state in
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    if time <= state.now { return (.success(()), []) }
                    state.sleepers[id] = Sleeper(time: time, isOnClock: isOnClock, continuation: continuation)
                    return (nil, state.satisfied())
                }
                if let outcome { continuation.resume(with: outcome) }
                for watcher in watchers { watcher.continuation.resume(returning: true) }
            }
        } onCancel: {
            let (sleeper, watchers) = state.withLock { ($0.sleepers.removeValue(forKey: id), $0.satisfied()) }
            sleeper?.continuation.resume(throwing: CancellationError())
            for watcher in watchers { watcher.continuation.resume(returning: true) }
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
        for watcher in watchers { watcher.continuation.resume(returning: true) }
    }

    /// Returns once a task sleeps until exactly this time: one of the server's own, or one that was given this timeline or its
    /// `clock`.
    ///
    /// - Throws: ``NothingCame`` after a minute.
    public func sleeper(until time: Duration, fileID: StaticString = #fileID, line: UInt = #line) async throws {
        guard await isTold({ $0.times.contains(time) }) else {
            throw NothingCame("no task sleeps until \(time), but until \(sleepers).", fileID, line)
        }
    }

    /// Returns once as many tasks sleep, no more and no fewer.
    ///
    /// A server's own count, too: it sleeps until the next of its polls, actions or pings is due, and how many tasks that takes is its
    /// own affair. For those of view models see ``ManualClock/sleepers(count:fileID:line:)``.
    ///
    /// - Throws: ``NothingCame`` after a minute.
    public func sleepers(count: Int, fileID: StaticString = #fileID, line: UInt = #line) async throws {
        guard await isTold({ $0.sleepers.count == count }) else {
            throw NothingCame("\(sleepers.count) tasks sleep, not \(count): until \(sleepers).", fileID, line)
        }
    }

    /// The times until which tasks sleep on the clock, earliest first.
    fileprivate var sleepersOnClock: [Duration] {
        state.withLock { $0.sleepers.values.filter(\.isOnClock).map(\.time).sorted() }
    }

    fileprivate func areOnClock(_ count: Int) async -> Bool {
        await isTold { $0.sleepers.values.count(where: \.isOnClock) == count }
    }

    /// Returns once it is so.
    ///
    /// - Returns: false where it is not after a while of the machine's time.
    private func isTold(_ isSatisfied: @escaping @Sendable (State) -> Bool) async -> Bool {
        let id = state.withLock { $0.makeID() }
        var limit: Task<Void, any Error>?
        defer { limit?.cancel() }
        return await withCheckedContinuation { continuation in
            let isSatisfiedNow = state.withLock { state in
                if isSatisfied(state) { return true }
                state.watchers[id] = Watcher(isSatisfied: isSatisfied, continuation: continuation)
                return false
            }
            if isSatisfiedNow { return continuation.resume(returning: true) }
            limit = Task {
                try await Task.sleep(for: patience)
                state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume(returning: false)
            }
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
        try await timeline.sleep(until: deadline.time, isOnClock: true)
    }

    /// Returns once as many tasks sleep on the clock, no more and no fewer: those of whoever was given it, as a view model that ticks,
    /// and none of the server's own.
    ///
    /// ```swift
    /// try await server.clock.clock.sleepers(count: 1)
    /// server.clock.advance(by: .seconds(1))
    /// ```
    /// - Throws: ``NothingCame`` after a minute.
    public func sleepers(count: Int, fileID: StaticString = #fileID, line: UInt = #line) async throws {
        guard await timeline.areOnClock(count) else {
            let sleepers = timeline.sleepersOnClock
            throw NothingCame(
                "\(sleepers.count) tasks sleep on the clock, not \(count): until \(sleepers).", fileID, line)
        }
    }
}
