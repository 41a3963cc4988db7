import Entities
import Locking

/// A clock that a test moves by hand.
package final class ManualTime: Timing {
    private let state = Lock((now: Duration.zero, deadlines: Deadlines(tick: .milliseconds(50))))

    /// A clock at zero.
    package init() {}

    package var now: Duration { state.withLock { $0.now } }

    package func schedule(at time: Duration, _ act: @escaping @Sendable () -> Void) -> TimerKey {
        state.withLock { $0.deadlines.add(at: time, act) }
    }

    package func cancel(_ keys: [TimerKey]) {
        state.withLock { state in for key in keys { state.deadlines.remove(key) } }
    }

    /// Moves the time and calls the due deadlines.
    package func advance(by time: Duration) {
        let due = state.withLock { state in
            state.now += time
            return state.deadlines.due(at: state.now)
        }
        for act in due { act() }
    }

    /// Moves the time in steps of a second, because a due deadline may set another one.
    package func pass(seconds: Int) { for _ in 0..<seconds { advance(by: .seconds(1)) } }
}
