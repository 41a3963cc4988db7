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
