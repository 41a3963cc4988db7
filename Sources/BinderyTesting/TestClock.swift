import Entities
import Locking

/// A clock that only a test moves.
///
/// Until the test moves it, the server ends no poll, cancels no action and expires no session. Any thread may use it.
public final class TestClock: Timing {
    fileprivate struct Watcher {
        let times: ClosedRange<Duration>
        let continuation: CheckedContinuation<Bool, Never>
    }

    fileprivate struct State {
        var now = Duration.zero
        var deadlines = Deadlines(tick: .milliseconds(1))
        /// The times of all pending deadlines.
        var times: [TimerKey: Duration] = [:]
        var watchers: [Int: Watcher] = [:]
        var lastWatcher = 0
    }

    private let state = Lock(State())

    /// Makes a clock at zero.
    public init() {}

    /// The time since the clock was made.
    public var now: Duration { state.withLock { $0.now } }

    /// Moves the time forward, and calls each deadline at its time.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let due = state.withLock({ $0.step(to: end) }) {
            for act in due { act() }
        }
    }

    /// Waits until the server has a deadline, such as that of a poll, in this range from now.
    ///
    /// ```swift
    /// async let answer = session.changes(since: cursor, wait: .seconds(25))
    /// try await server.clock.deadline(in: .seconds(20) ... .seconds(25))
    /// server.clock.advance(by: .seconds(25))
    /// ```
    /// - Throws: ``NothingCame`` after a minute of real time.
    public func deadline(in range: ClosedRange<Duration>) async throws {
        let (id, times) = state.withLock { state in
            state.lastWatcher += 1
            return (state.lastWatcher, state.now + range.lowerBound...state.now + range.upperBound)
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
        defer { limit.cancel() }
        let isThere = await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.times.values.contains(where: times.contains) { return true }
                state.watchers[id] = Watcher(times: times, continuation: continuation)
                return false
            }
            if isThere { continuation.resume(returning: true) }
        }
        guard isThere else {
            throw NothingCame("no deadline was set between \(times.lowerBound) and \(times.upperBound)")
        }
    }

    package func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey {
        let (key, told) = state.withLock { state in
            let key = state.deadlines.add(at: time, act)
            state.times[key] = time
            let told = state.watchers.filter { $0.value.times.contains(time) }
            for id in told.keys { state.watchers[id] = nil }
            return (key, told.values.map(\.continuation))
        }
        for continuation in told { continuation.resume(returning: true) }
        return key
    }

    package func cancel(_ keys: [TimerKey]) {
        state.withLock { state in
            for key in keys {
                state.deadlines.remove(key)
                state.times[key] = nil
            }
        }
    }
}

extension TestClock.State {
    /// Moves to the next deadline and returns its calls; without one before the end, moves there and returns nil.
    fileprivate mutating func step(to end: Duration) -> [@Sendable () -> Void]? {
        guard let next = deadlines.next, next <= end else {
            now = max(now, end)
            return nil
        }
        now = max(now, next)
        times = times.filter { $0.value > now }
        return deadlines.due(at: now)
    }
}

/// The error of a test that waited for an event in vain.
public struct NothingCame: Error, CustomStringConvertible {
    /// The expected event.
    public let description: String

    package init(_ description: String) { self.description = description }
}
