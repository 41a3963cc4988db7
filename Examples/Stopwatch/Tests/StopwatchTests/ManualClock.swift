import Synchronization

@testable import Stopwatch

/// A clock that stands still until a test moves it.
final class ManualClock: WallClock {
    private struct State {
        var now: Int
        var nextSleeper = 0
        var sleepers: [Int: (time: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(now: Int = 1_000_000_000) { state = Mutex(State(now: now)) }

    var now: Int { state.withLock { $0.now } }

    func sleep(until time: Int) async throws {
        let id = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, watchers) = state.withLock { state in
                    let outcome: Result<Void, any Error>? =
                        Task.isCancelled ? .failure(CancellationError()) : time <= state.now ? .success(()) : nil
                    if outcome == nil { state.sleepers[id] = (time, continuation) }
                    defer { if outcome == nil { state.watchers = [] } }
                    return (outcome, outcome == nil ? state.watchers : [])
                }
                if let outcome { continuation.resume(with: outcome) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the time on and wakes whoever slept until then.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += Int(duration / .milliseconds(1))
            let due = state.sleepers.filter { $1.time <= state.now }
            for id in due.keys { state.sleepers.removeValue(forKey: id) }
            return due.values
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns once a task sleeps.
    func sleeper() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.isEmpty { state.watchers.append(continuation) }
                return !state.sleepers.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }
}
