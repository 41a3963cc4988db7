/// A wait for a change of a session, as something that can be given up.
public struct SessionWait: Sendable {
    let session: Session
    let query: FeedQuery
    let number: UInt64

    /// Gives the wait up; where it is over already, nothing happens.
    public func cancel() { session.finish(self) { _ in .cancelled } }

    /// Ends the wait as if its time were over; where it is over already, nothing happens.
    public func end() { session.finish(self) { .idle(.deadline, at: $0) } }
}

/// What a wait is for.
public enum WaitKind: Sendable {
    /// A long-poll, of which a session has only so many.
    case poll
    /// An event stream's wait for its next event.
    case stream
}
