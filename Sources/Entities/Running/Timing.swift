import Dispatch
import Foundation
import Locking

/// A monotonic clock with deadlines; tests move their clock by hand.
package protocol Timing: AnyObject, Sendable {
    /// The time since a moment in the past; it never goes back.
    var now: Duration { get }

    /// Calls back once when the time has come, on any thread, never before this returns.
    func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey

    /// Removes deadlines; a past deadline is no error, and its call may still come.
    func cancel(_ keys: [TimerKey])
}

/// Names a deadline.
package struct TimerKey: Hashable, Sendable {
    fileprivate let tick: Int64
    fileprivate let number: UInt64
}

/// The deadlines of a timer, rounded to ticks, so that 10,000 waits that end in one second need few wake-ups.
///
/// A deadline is at most one tick late, and never early.
package struct Deadlines: Sendable {
    private let tick: Duration
    private var ticks: [Int64: [UInt64: @Sendable () -> Void]] = [:]
    private var last: UInt64 = 0

    package init(tick: Duration) { self.tick = tick }

    package mutating func add(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey {
        // Rounds up.
        let index = Int64((time / tick).rounded(.up))
        last += 1
        ticks[index, default: [:]][last] = act
        return TimerKey(tick: index, number: last)
    }

    package mutating func remove(_ key: TimerKey) {
        ticks[key.tick]?.removeValue(forKey: key.number)
        if ticks[key.tick]?.isEmpty == true { ticks[key.tick] = nil }
    }

    /// The time of the earliest deadline.
    package var next: Duration? { ticks.keys.min().map { tick * Int($0) } }

    /// Takes out all deadlines that have come, in their order.
    package mutating func due(at now: Duration) -> [@Sendable () -> Void] {
        let passed = ticks.keys.filter { tick * Int($0) <= now }.sorted()
        return passed.flatMap { (ticks.removeValue(forKey: $0) ?? [:]).sorted { $0.key < $1.key }.map(\.value) }
    }
}

/// The timer of a process: one thread that waits for the earliest deadline.
package final class TimerThread: Timing {
    private struct State: Sendable {
        var deadlines = Deadlines(tick: .milliseconds(50))
        var sleepsUntil: Duration?
        var isStopped = false
    }

    private let state = Lock(State())
    private let wake = DispatchSemaphore(value: 0)

    /// Starts the thread, which runs until ``stop()``.
    package init() {
        Thread.start(named: "timer") { [self] in run() }
    }

    /// The time since the machine started, up to 4 ms behind; each request reads it, and this clock is cheap.
    package var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return .nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Calls back on the timer's thread: the callback must be quick.
    package func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey {
        let (key, isEarlier) = state.withLock { state in
            let key = state.deadlines.add(at: time, act)
            let isEarlier = state.sleepsUntil.map { time < $0 } ?? true
            // The thread gets a signal only if it must wake earlier.
            if isEarlier { state.sleepsUntil = time }
            return (key, isEarlier)
        }
        if isEarlier { wake.signal() }
        return key
    }

    /// Removes deadlines.
    package func cancel(_ keys: [TimerKey]) {
        state.withLock { state in for key in keys { state.deadlines.remove(key) } }
    }

    /// Ends the thread, and drops the remaining deadlines.
    package func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    private func run() {
        while true {
            let (due, next) = state.withLock { state -> ([@Sendable () -> Void]?, Duration?) in
                guard !state.isStopped else { return (nil, nil) }
                let due = state.deadlines.due(at: now)
                state.sleepsUntil = state.deadlines.next
                return (due, state.sleepsUntil)
            }
            guard let due else { return }
            for act in due { act() }
            if let next {
                _ = wake.wait(timeout: .now() + max(next - now, .zero) / .seconds(1))
            } else {
                wake.wait()
            }
        }
    }
}

extension Thread {
    package static func start(named name: String, _ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.name = name
        thread.start()
    }
}

extension Duration {
    /// Whole milliseconds.
    package var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
