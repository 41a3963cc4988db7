import Locking

/// What one token may keep open.
package final class Allowances: Sendable {
    /// For polls that wait.
    package let polls: Allowance
    /// For open streams.
    package let streams: Allowance

    init(_ limits: Registry.Limits) { (polls, streams) = (Allowance(limits.polls), Allowance(limits.streams)) }
}

/// Counts what one token keeps open, up to a bound.
package final class Allowance: Sendable {
    private let open = Lock(0)
    private let limit: Int

    /// Makes an allowance of which nothing is taken.
    package init(_ limit: Int) { self.limit = limit }

    /// Opens one more; false at the bound (429).
    package func take() -> Bool {
        open.withLock { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
    }

    /// Closes one again.
    package func giveBack() { open.withLock { $0 -= 1 } }
}
