import Locking

/// What comes first of two, and who waits for it.
package final class FirstOutcome: Sendable {
    private let answer = Lock<(@Sendable (Bool) -> Void)?>(nil)

    private init(_ answer: @escaping @Sendable (Bool) -> Void) { self.answer.withLock { $0 = answer } }

    /// Asks, and waits no longer than a time for the answer.
    ///
    /// - Parameter ask: begins to find out; what it is given may be told from any thread, and too late.
    /// - Returns: false where no answer came in time.
    package static func within(
        _ time: Duration, _ ask: (@escaping @Sendable (Bool) -> Void) -> Void
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let outcome = FirstOutcome { continuation.resume(returning: $0) }
            ask(outcome.report)
            Task {
                // Of real time: it bounds how long an operator's probe waits for a thread that may hang.
                try? await Task.sleep(for: time)
                outcome.report(false)
            }
        }
    }

    /// Says what came; the second time nobody hears it.
    @Sendable private func report(_ outcome: Bool) { answer.withLock { $0.take() }?(outcome) }
}
