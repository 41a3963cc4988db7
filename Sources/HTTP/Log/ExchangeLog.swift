/// Is told of every request once it is over.
///
/// Called on the event loops, several at a time: it must not block, and what it does is part of every request's cost.
public protocol ExchangeLog: Sendable {
    /// Records one request.
    func record(_ entry: ExchangeEntry)

    /// Records that a bound was reached; a log that does not say how leaves it out.
    func record(_ notice: BoundNotice)
}

extension ExchangeLog {
    /// Leaves it out.
    public func record(_ notice: BoundNotice) {}
}
