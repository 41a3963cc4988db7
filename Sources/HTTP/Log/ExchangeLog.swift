/// Is told of every request once it is over.
///
/// Called on the event loops, several at a time: it must not block, and what it does is part of every request's cost.
public protocol ExchangeLog: Sendable {
    /// Records one request.
    func record(_ entry: ExchangeEntry)

    /// Records that a bound was reached; a log that does not say how leaves it out.
    func record(_ notice: BoundNotice)

    /// Records that a handler holds an event loop, on a thread that is no event loop's; a log that does not say how leaves
    /// it out.
    func record(_ held: HeldLoop)
}

extension ExchangeLog {
    /// Leaves it out.
    public func record(_ notice: BoundNotice) {}

    /// Leaves it out.
    public func record(_ held: HeldLoop) {}
}
