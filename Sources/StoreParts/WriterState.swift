package import Events
import Locking

/// What others may know of a store's writer.
package final class WriterState: Sendable {
    private struct State {
        var count = 0
        var isWorking = true
        var latestSuccess: ContinuousClock.Instant?
        /// Of groups with commits.
        var groupTimes = Histogram()
        var commits = 0
        var failures: [String: Int] = [:]
    }

    private let state = Lock(State())
    private let reasons: [String]
    /// Looks on, from a thread of its own.
    package let watchdog: StoreWatchdog

    /// It works, and has done nothing yet.
    ///
    /// - Parameter reasons: why something may fail, each a word.
    package init(reasons: [String], _ watchdog: StoreWatchdog) { (self.reasons, self.watchdog) = (reasons, watchdog) }

    /// How many sessions there are.
    package var count: Int { state.withLock { $0.count } }

    /// Whether the latest group was stored, and that a moment ago.
    package var hasJustWorked: Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.isWorking && state.latestSuccess.map { now - $0 < .seconds(1) } ?? false
        }
    }

    /// Notes that a group was stored, or that the file was opened.
    ///
    /// - Parameters:
    ///   - count: how many sessions there are, where that is known.
    ///   - commits: how many were in the group.
    ///   - time: how long that took.
    package func noteSuccess(count: Int? = nil, commits: Int = 0, after time: Duration = .zero) {
        let now = ContinuousClock.now
        state.withLock { state in
            if let count { state.count = count }
            state.latestSuccess = now
            state.isWorking = true
            guard commits > 0 else { return }
            state.commits += commits
            state.groupTimes.add(microseconds: Int(time / .microseconds(1)))
        }
    }

    /// Notes that a group could not be stored.
    package func noteFailure(_ reason: String) {
        state.withLock { state in
            state.isWorking = false
            state.failures[reason, default: 0] += 1
        }
    }

    /// Notes that nothing more is stored.
    package func noteEnd() { state.withLock { $0.isWorking = false } }

    /// What is counted and measured.
    ///
    /// - Parameter isReached: false where nothing can be stored or read, though no group has failed.
    package func measures(isReached: Bool = true) -> [Measure] {
        let (state, oldest) = (state.withLock { $0 }, watchdog.oldestGroup)
        return [
            Measure(
                .gauge, "bindery_store_up", "1 where the latest group was stored, and none hangs.",
                isReached && state.isWorking && !watchdog.hangs ? 1 : 0),
            Measure(
                .gauge, "bindery_store_oldest_group_seconds",
                "How long the oldest group of commits has been under way; 0 where none is.", oldest / .seconds(1)),
            Measure(
                .counter, "bindery_store_commits_total",
                "Commits that were stored or met another; divided by the number of groups it is the group's size.",
                state.commits),
            Measure(
                .histogram, "bindery_store_group_duration_seconds", "How long a group of commits took to be stored.",
                state.groupTimes.samples()),
            Measure(
                .counter, "bindery_store_failures_total", "Groups that could not be stored, by reason.",
                // Each from the beginning, so that the first is seen to grow.
                reasons.map {
                    Measure.Sample([Measure.Label("reason", $0)], Double(state.failures[$0, default: 0]))
                }),
        ]
    }
}
