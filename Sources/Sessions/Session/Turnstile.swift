import Locking

/// Lets one task at a time through to a stage, in the order in which they came.
///
/// A task that finds the way free goes through without being suspended. Unlike an actor's, a turn is not given up at
/// an `await`: an action that waits, or a session that is being read again, keeps it.
final class Turnstile<Stage>: Sendable {
    private let line = Lock(TurnstileLine())
    // Safe: touched only inside a turn, by the one who holds it; the line's lock orders the turns.
    nonisolated(unsafe) private let stage: Stage

    init(_ stage: sending Stage) { self.stage = stage }

    /// How many stand in line.
    var waiting: Int { line.withLock { $0.count } }

    /// Runs a turn.
    ///
    /// Takes no heed of cancellation: whoever stands in line gets through.
    func withTurn<Result>(_ body: (Stage) async throws -> Result) async rethrows -> Result {
        if !line.withLock({ $0.enter() }) {
            await withCheckedContinuation { continuation in
                let isFree = line.withLock { $0.enter(or: continuation) }
                if isFree { continuation.resume() }
            }
        }
        defer { line.withLock { $0.leave() }?.resume() }
        return try await body(stage)
    }

    /// Runs a turn that never waits, if the way is free.
    ///
    /// - Returns: nil where it is not.
    func withTurnAtHand<Result>(_ body: (Stage) throws -> Result?) rethrows -> Result? {
        guard line.withLock({ $0.enter() }) else { return nil }
        defer { line.withLock { $0.leave() }?.resume() }
        return try body(stage)
    }
}
