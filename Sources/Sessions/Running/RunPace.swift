import Synchronization
import ViewModels

/// How the runs of one action have gone, in all sessions together: where it may run.
///
/// An event loop serves many connections, and whatever holds it holds all of them. So an action comes to run there only
/// after several fast runs elsewhere, and never again after one slow run anywhere. Of a run that does not return nothing is
/// known. Safe from any thread, and without a lock, since the loops ask for each action.
final class RunPace: Sendable {
    /// How many fast runs in a row let an action run on an event loop.
    static let fastRuns = 8
    /// A run that takes less is fast.
    static let fast = Duration.milliseconds(1)
    /// A run that takes as long is slow: by then a loop owes some hundred answers.
    static let slow = Duration.milliseconds(4)

    private static let slowMark = -1

    /// The number of fast runs in a row, at most ``fastRuns``; or ``slowMark``, for good.
    private let standing = Atomic(0)

    /// Whether it may run where it is asked for, perhaps on an event loop.
    ///
    /// Else it needs a thread that nobody else needs: it is slow, or `async`, or has not yet had ``fastRuns`` fast runs in a
    /// row.
    var isFast: Bool { standing.load(ordering: .relaxed) == Self.fastRuns }

    /// Runs the action, unless it is `async`, and takes note of how long it took.
    ///
    /// - Parameter tellSlow: told once in all, how long the first slow run took.
    /// - Returns: false where it is `async`; nothing was done then.
    /// - Throws: what the action throws.
    func run(
        _ action: Int, on viewModel: any HostedViewModel, body: [UInt8], by timeline: any Timeline,
        tellSlow: (Duration) -> Void
    ) throws -> Bool {
        let (use, start) = (timeline.threadUse, timeline.now)
        let isDone: Bool
        do {
            isDone = try viewModel.performNow(action, body: body)
        } catch {
            // A refusal may come before any of the action's work: it proves slowness alone.
            note(timeline.time(since: start, use), hasProvenItself: false, tellSlow)
            throw error
        }
        if isDone { note(timeline.time(since: start, use), hasProvenItself: true, tellSlow) }
        return isDone
    }

    private func note(_ time: Duration, hasProvenItself: Bool, _ tellSlow: (Duration) -> Void) {
        var known = standing.load(ordering: .relaxed)
        while known >= 0 {
            let next =
                if time >= Self.slow {
                    Self.slowMark
                } else if time >= Self.fast {
                    0
                } else {
                    min(known + (hasProvenItself ? 1 : 0), Self.fastRuns)
                }
            // Mostly: an action that is known to be fast was fast again.
            if next == known { return }
            let (exchanged, original) = standing.compareExchange(
                expected: known, desired: next, ordering: .relaxed)
            if exchanged {
                if next == Self.slowMark { tellSlow(time) }
                return
            }
            known = original
        }
    }
}

extension Timeline {
    /// How long the calling thread took since a time, by its own doing: where others took its core from it and it waited
    /// for nothing itself, what it had of the core.
    ///
    /// On a busy machine a run of microseconds is now and then interrupted for as long as a slow one takes.
    fileprivate func time(since start: Duration, _ before: ThreadUse?) -> Duration {
        let time = now - start
        guard time >= RunPace.fast, let before, let after = threadUse else { return time }
        guard after.interruptions > before.interruptions, after.waits == before.waits else { return time }
        return min(time, max(.zero, after.core - before.core - ThreadUse.tick))
    }
}
