import Locking

/// What comes first of two, and who waits for it.
package final class FirstOutcome<Outcome: Sendable>: Sendable {
    private let answer = Lock<(@Sendable (Outcome) -> Void)?>(nil)

    private init(_ answer: @escaping @Sendable (Outcome) -> Void) { self.answer.withLock { $0 = answer } }

    /// Asks, and waits no longer than a time for the answer.
    ///
    /// - Parameters:
    ///   - otherwise: what is taken for the answer where none came in time.
    ///   - ask: begins to find out; what it is given may be told from any thread, and too late.
    package static func within(
        _ time: Duration, otherwise: Outcome, _ ask: (@escaping @Sendable (Outcome) -> Void) -> Void
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = FirstOutcome { continuation.resume(returning: $0) }
            ask(outcome.report)
            Task {
                // Of real time: it bounds how long an operator's probe waits for a thread that may hang.
                try? await Task.sleep(for: time)
                outcome.report(otherwise)
            }
        }
    }

    /// Says what came; the second time nobody hears it.
    @Sendable private func report(_ outcome: Outcome) { answer.withLock { $0.take() }?(outcome) }
}
