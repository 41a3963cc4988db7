import Locking

/// What comes first of two, and who waits for it.
package final class FirstOutcome: Sendable {
    private let answer = Lock<(@Sendable (Bool) -> Void)?>(nil)

    /// Nothing has come yet.
    package init() {}

    /// - Parameter answer: called once, by whoever reports first.
    package func wait(_ answer: @escaping @Sendable (Bool) -> Void) { self.answer.withLock { $0 = answer } }

    /// Says what came; the second time nobody hears it.
    package func report(_ outcome: Bool) { answer.withLock { $0.take() }?(outcome) }
}
