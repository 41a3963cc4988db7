import Locking

/// What others may know of the writer.
final class WriterState: Sendable {
    private struct State {
        var count = 0
        var isWorking = true
        var latestSuccess: ContinuousClock.Instant?
    }

    private let state = Lock(State())

    /// How many sessions there are.
    var count: Int { state.withLock { $0.count } }

    /// Whether the latest group was stored, and that a moment ago.
    var hasJustWorked: Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.isWorking && state.latestSuccess.map { now - $0 < .seconds(1) } ?? false
        }
    }

    /// Notes that a group was stored, or that the file was opened.
    ///
    /// - Returns: whether the one before was not.
    func noteSuccess(growth: Int) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.count += growth
            state.latestSuccess = now
            defer { state.isWorking = true }
            return !state.isWorking
        }
    }

    /// Notes that a group could not be stored.
    ///
    /// - Returns: whether the one before was.
    func noteFailure() -> Bool {
        state.withLock { state in
            defer { state.isWorking = false }
            return state.isWorking
        }
    }
}
